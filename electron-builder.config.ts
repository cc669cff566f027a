/**
 * What is in the program that users install, and in which formats: read by electron-builder, and by `scripts/package`,
 * which makes the packages of Linux distributions with their own tools.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Arch, type Configuration } from 'electron-builder';
import { addCommandLine, DRIVER } from './scripts/package/command-line.ts';
import { updatesOfBuild } from './scripts/package/updates-of-build.ts';

/** What is switched off in the program itself, where no argument and no environment can switch it on again. */
export const FUSES = {
  runAsNode: false,
  enableNodeOptionsEnvironmentVariable: false,
  enableNodeCliInspectArguments: false,
  enableCookieEncryption: true,
  enableEmbeddedAsarIntegrityValidation: true,
  onlyLoadAppFromAsar: true,
  loadBrowserProcessSpecificV8Snapshot: false,
  grantFileProtocolExtraPrivileges: false,
} as const;

/** Offered for sheets, and never made the default for them: most people have another program for these. */
const SHEET_TYPES: readonly string[] = [
  'text/csv',
  'text/tab-separated-values',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'application/vnd.ms-excel.sheet.macroEnabled.12',
  'application/vnd.oasis.opendocument.spreadsheet',
];

const SUMMARY = 'Renders a spreadsheet of prompts overnight';
const DESCRIPTION =
  'Give it a sheet at night. By morning every row is either a verified, correctly named file or an explained exception. ' +
  'Nocturne renders a spreadsheet of prompts through an asynchronous media-generation gateway.';

const configuration = {
  appId: 'app.nocturne.Nocturne',
  productName: 'Nocturne',
  copyright: 'Copyright © The Nocturne authors',
  directories: { output: 'dist', buildResources: 'resources/package' },
  icon: 'resources/icons/nocturne.png',
  // Says which desktop entry a window belongs to.
  extraMetadata: { desktopName: 'nocturne.desktop', ...updatesOfBuild() },
  // Of the store's driver, too, only what must be a file.
  asar: { smartUnpack: false },
  files: [
    {
      filter: [
        '!node_modules/**',
        ...DRIVER,
        'package.json',
        'out/{main,preload,renderer}/**',
        'resources/gallery/*.{html,css,js}',
        'resources/icons/nocturne.png',
      ],
    },
  ],
  asarUnpack: ['**/*.node'],
  // Opened by other programs or copied from, so these are files.
  extraResources: [
    // Where electron-updater keeps what it fetches; what it fetches is in no file that somebody could change.
    { from: 'resources/package/app-update.yml', to: 'app-update.yml' },
    {
      from: '.',
      to: 'help',
      filter: [
        'README.md',
        'SECURITY.md',
        'CHANGELOG.md',
        'LICENSE',
        'docs/*.md',
        'docs/openapi.json',
        'resources/samples/**',
      ],
    },
    { from: 'out', to: 'help', filter: ['sbom.cdx.json', 'licences.json', 'site/**'] },
  ],
  // The program's own language; Chromium's few words follow it.
  electronLanguages: ['en-US'],
  npmRebuild: false,
  nodeGypRebuild: false,
  electronFuses: FUSES,
  forceCodeSigning: false,
  // Its own feeds are signed by nobody: ours is made by `npm run updates`.
  publish: null,
  protocols: [{ name: 'Nocturne', schemes: ['nocturne'] }],
  afterPack: async ({ appOutDir, packager, arch }) => {
    const resources = packager.getResourcesDir(appOutDir);
    await addCommandLine(join(resources, 'cli'), { platform: packager.platform.nodeName, arch: Arch[arch] });
    // The Electron for tests brings a loader of applications in a checkout.
    await rm(join(resources, 'app'), { recursive: true, force: true });
  },

  linux: {
    // `nocturne` is the command line.
    executableName: 'nocturne-window',
    target: ['AppImage'],
    category: 'AudioVideo',
    synopsis: SUMMARY,
    description: DESCRIPTION,
    // Without an address, which packages for Debian ask for: one that nobody reads would be a false promise. Whom to tell
    // is in SECURITY.md, which is installed.
    maintainer: 'The Nocturne authors',
    vendor: 'The Nocturne authors',
    mimeTypes: [...SHEET_TYPES, 'x-scheme-handler/nocturne'],
    desktop: {
      entry: {
        Name: 'Nocturne',
        Comment: SUMMARY,
        StartupWMClass: 'nocturne',
        Keywords: 'spreadsheet;prompts;render;batch;night;',
      },
    },
  },
  // It keeps its name when it is replaced by another version.
  appImage: { artifactName: 'Nocturne-${arch}.${ext}' },
  deb: {
    packageCategory: 'graphics',
    depends: [
      'libasound2t64 | libasound2',
      'libatspi2.0-0t64 | libatspi2.0-0',
      'libgbm1',
      'libgtk-3-0t64 | libgtk-3-0',
      'libnss3',
      'libsecret-1-0',
      'xdg-utils',
    ],
    // Without one of these keys are kept in memory only.
    recommends: ['gnome-keyring | kwalletmanager', 'libnotify4'],
  },
  rpm: {
    depends: ['alsa-lib', 'at-spi2-core', 'gtk3', 'libsecret', 'mesa-libgbm', 'nss', 'xdg-utils'],
  },

  mac: {
    category: 'public.app-category.graphics-design',
    target: ['dmg', 'zip'],
    artifactName: 'Nocturne-${version}-${arch}.${ext}',
    darkModeSupport: true,
    hardenedRuntime: true,
    fileAssociations: [
      { ext: ['csv', 'tsv', 'xlsx', 'xlsm', 'ods'], name: 'Sheet', role: 'Viewer', rank: 'Alternate' },
    ],
    extendInfo: {
      LSMinimumSystemVersion: '12.0',
      // The folder of a batch, opened with Nocturne or dropped on its icon. A folder has no extension to go by.
      CFBundleDocumentTypes: [
        {
          CFBundleTypeName: 'Batch folder',
          CFBundleTypeRole: 'Viewer',
          LSHandlerRank: 'Alternate',
          LSItemContentTypes: ['public.folder'],
        },
      ],
    },
  },
  dmg: { artifactName: 'Nocturne-${version}-${arch}.${ext}' },

  win: {
    target: ['nsis'],
    // Never asks for an administrator's rights to run.
    requestedExecutionLevel: 'asInvoker',
  },
  nsis: {
    artifactName: 'Nocturne-Setup-${version}-${arch}.${ext}',
    oneClick: false,
    perMachine: false,
    allowToChangeInstallationDirectory: true,
    deleteAppDataOnUninstall: false,
    // Offers sheets to Nocturne, and asks about its data at the end.
    include: 'resources/package/windows-installer.nsh',
  },
} satisfies Configuration;

export default configuration;
