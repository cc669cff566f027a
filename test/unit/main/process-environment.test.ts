import { expect, test } from 'vitest';
import { engineEnvironment, sheetReaderEnvironment } from '../../../src/main/shell/process-environment.ts';

const EVERYTHING = {
  NOCTURNE_AI_KEY: 'sk-canary',
  NODE_OPTIONS: '--require ./evil.js',
  NODE_EXTRA_CA_CERTS: '/tmp/evil.pem',
  HTTPS_PROXY: 'http://user:password@proxy',
  LD_PRELOAD: '/tmp/evil.so',
  LD_LIBRARY_PATH: '/opt/lib',
  HOME: '/home/me',
  PATH: '/usr/bin',
  SystemRoot: 'C:\\Windows',
  TMPDIR: '/big/tmp',
  TZ: 'Asia/Tokyo',
  ELECTRON_RUN_AS_NODE: '1',
};

test('the engine gets what it needs and nothing else', () => {
  expect(engineEnvironment(EVERYTHING)).toEqual({
    NOCTURNE_PROCESS: 'engine',
    LD_LIBRARY_PATH: '/opt/lib',
    SystemRoot: 'C:\\Windows',
    TMPDIR: '/big/tmp',
    TZ: 'Asia/Tokyo',
  });
});

test('a reader gets only what lets it start', () => {
  expect(sheetReaderEnvironment(EVERYTHING)).toEqual({
    NOCTURNE_PROCESS: 'sheet-reader',
    LD_LIBRARY_PATH: '/opt/lib',
    SystemRoot: 'C:\\Windows',
  });
});

test('it is never empty: Electron would take that for everything', () => {
  expect(Object.keys(sheetReaderEnvironment({}))).not.toEqual([]);
  expect(Object.keys(engineEnvironment({}))).not.toEqual([]);
});
