import type { TextEncoding } from '../../../../shared/domain/sheet/sheet-raw.ts';
import { WINDOWS_1252_FROM_80 } from './decode-text.ts';

/**
 * A text in an encoding, without a byte order mark; undefined if the encoding cannot represent it or is not supported.
 */
export function encodeText(text: string, encoding: TextEncoding): Buffer | undefined {
  switch (encoding) {
    case 'utf-8':
      return Buffer.from(text, 'utf8');
    case 'utf-16le':
      return Buffer.from(text, 'utf16le');
    case 'utf-16be':
      return Buffer.from(text, 'utf16le').swap16();
    case 'windows-1252':
      return encodeWindows1252(text);
    case 'windows-1251':
      return encodeBytewise(text, encoding);
    // Node decodes these but does not encode them.
    case 'gbk':
    case 'shift_jis':
      return undefined;
  }
}

function encodeWindows1252(text: string): Buffer | undefined {
  const bytes = Buffer.alloc(text.length);
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    const high = WINDOWS_1252_FROM_80.indexOf(text.charAt(index));
    if (high !== -1) bytes[index] = 0x80 + high;
    else if (code < 0x80 || (code >= 0xa0 && code <= 0xff)) bytes[index] = code;
    else return undefined;
  }
  return bytes;
}

const HIGH_BYTES = Buffer.from(Array.from({ length: 0x80 }, (_, index) => 0x80 + index));

/** Encodes into a one-byte encoding that contains ASCII, by inverting what its decoder makes of each byte. */
function encodeBytewise(text: string, encoding: 'windows-1251'): Buffer | undefined {
  const high = new TextDecoder(encoding).decode(HIGH_BYTES);
  const bytes = Buffer.alloc(text.length);
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    const place = code < 0x80 ? -1 : high.indexOf(text.charAt(index));
    if (code >= 0x80 && place === -1) return undefined;
    bytes[index] = code < 0x80 ? code : 0x80 + place;
  }
  return bytes;
}
