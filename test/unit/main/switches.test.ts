import { describe, expect, test } from 'vitest';
import { judgeSwitches } from '../../../src/main/shell/switches.ts';

describe('the installed program', () => {
  test.each([
    '--proxy-server=http://evil.example',
    '--host-resolver-rules=MAP * 127.0.0.1',
    '--ignore-certificate-errors',
    '--disable-web-security',
    '--utility-cmd-prefix=/tmp/evil',
    '--renderer-cmd-prefix=/tmp/evil',
    '--browser-subprocess-path=/tmp/evil',
    '--load-extension=/tmp/evil',
    '--log-net-log=/tmp/log',
    '--js-flags=--allow-natives-syntax',
    '-proxy-server=evil',
    ' --proxy-server=evil',
    '\t-proxy-server=evil\n',
    '/proxy-server=evil',
    '--no-such-switch',
  ])('does not obey %s', (argument) => {
    const name = /[a-z][a-z-]+/u.exec(argument)?.[0];
    for (const isUsersFolder of [true, false]) {
      expect(judgeSwitches([argument], isUsersFolder)).toEqual({ dropped: [name], isDebugged: false });
    }
  });

  test('obeys what a desktop needs', () => {
    const args = ['--password-store=kwallet6', '--ozone-platform=wayland', '--user-data-dir=/data', 'sheet.csv'];
    expect(judgeSwitches(args, true)).toEqual({ dropped: [], isDebugged: false });
  });

  test('has no debugger on the user’s own data, and knows of one elsewhere', () => {
    for (const name of ['remote-debugging-port', 'remote-debugging-pipe', 'remote-debugging-address']) {
      expect(judgeSwitches([`--${name}=0`], true)).toEqual({ dropped: [name], isDebugged: false });
      expect(judgeSwitches([`--${name}=0`], false)).toEqual({ dropped: [], isDebugged: true });
    }
  });

  test('drops a switch in capitals under both names', () => {
    expect(judgeSwitches(['/Proxy-Server=evil'], false).dropped).toEqual(['Proxy-Server', 'proxy-server']);
    expect(judgeSwitches(['--Remote-Debugging-Port=0'], true).dropped).toEqual([
      'Remote-Debugging-Port',
      'remote-debugging-port',
    ]);
  });
});
