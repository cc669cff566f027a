/**
 * Why this environment must not be used: it switches the check of certificates off, and the key would go to whoever
 * answers. Undefined where nothing is wrong.
 */
export function tlsProblem(env: Readonly<Record<string, string | undefined>>): string | undefined {
  if (env['NODE_TLS_REJECT_UNAUTHORIZED'] !== '0') return undefined;
  return 'NODE_TLS_REJECT_UNAUTHORIZED=0 switches the check of certificates off. Unset it, then start again.';
}
