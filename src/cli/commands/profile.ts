import { print } from '../console.ts';
import type { Console } from '../console.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { profileOf, readProfile, type GatewayOptions } from '../options.ts';

/** Says whether a profile file can be used. */
export function profileCheckCommand(console: Console, file: string): ExitCode {
  const profile = readProfile(file);
  console.document({ ok: true, name: profile.name, baseUrl: profile.baseUrl });
  console.line(`${file} can be used: ${profile.name}, ${profile.baseUrl === '' ? 'no base URL yet' : profile.baseUrl}`);
  return EXIT.done;
}

/** Prints the whole profile that `--profile` and `--base-url` stand for, with every default filled in. */
export function profileShowCommand(options: GatewayOptions): ExitCode {
  print(process.stdout, `${JSON.stringify(profileOf(options), undefined, 2)}\n`);
  return EXIT.done;
}
