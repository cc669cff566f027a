/** What no page may do, whatever it holds: go elsewhere, open a window, embed a page, ask for a permission. */
import { app, session, type Session, type WebContents } from 'electron';
import type { Log } from './log.ts';
import { judgeSwitches } from './switches.ts';

/** Applies to every page that the application ever shows, now and later. Call it before the first window. */
export function forbidEverythingElse(isOwnAddress: (url: string) => boolean, log: Log): void {
  app.on('web-contents-created', (_event, contents) => harden(contents, isOwnAddress, log));
}

/**
 * Grants no permission, ever, except full screen to the window's own page, which Escape takes back: nothing in a page
 * needs more. Call it for each session when the application is ready.
 * @param of By default, the session of the windows.
 */
export function denyPermissions(log: Log, of: Session = session.defaultSession): void {
  const isWindows = of === session.defaultSession;
  of.setPermissionRequestHandler((_contents, permission, callback) => {
    if (isWindows && permission === 'fullscreen') {
      callback(true);
      return;
    }
    log('warning', `permission ${permission} denied`);
    callback(false);
  });
  of.setPermissionCheckHandler(() => false);
  of.setDevicePermissionHandler(() => false);
  of.setDisplayMediaRequestHandler((_request, callback) => callback({}));
  of.on('will-download', (event) => event.preventDefault());
}

/**
 * Removes the switches with which another program could turn this one into a tool. Returns whether a debugger of the
 * page stays: a fuse keeps debuggers out of this process, but not out of the page. Call it before the application is
 * ready.
 */
export function dropSwitches(args: readonly string[], isUsersFolder: boolean): boolean {
  const { dropped, isDebugged } = judgeSwitches(args, isUsersFolder);
  for (const name of dropped) app.commandLine.removeSwitch(name);
  return isDebugged;
}

function harden(contents: WebContents, isOwnAddress: (url: string) => boolean, log: Log): void {
  const stay = (event: { preventDefault(): void; readonly url: string }): void => {
    if (isOwnAddress(event.url)) return;
    event.preventDefault();
    log('warning', 'navigation away from the application blocked');
  };
  contents.on('will-redirect', stay);
  // For every frame, including the top one.
  contents.on('will-frame-navigate', stay);
  contents.on('will-attach-webview', (event) => event.preventDefault());
  // For what the page's policy does not cover in WebRTC: nothing bypasses the network stack.
  contents.setWebRTCIPHandlingPolicy('disable_non_proxied_udp');
  contents.setWindowOpenHandler(() => {
    log('warning', 'a new window was denied');
    return { action: 'deny' };
  });
}
