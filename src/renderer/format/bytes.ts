/** Bytes as pairs of hexadecimal digits, sixteen on a line. */
export function hexLines(base64: string): string {
  const bytes = Uint8Array.from(atob(base64), (character) => character.codePointAt(0) ?? 0);
  const pairs = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0'));
  const lines: string[] = [];
  for (let start = 0; start < pairs.length; start += 16) lines.push(pairs.slice(start, start + 16).join(' '));
  return lines.join('\n');
}
