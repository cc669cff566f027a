import { crc32 } from 'node:zlib';

/** A part of a container: its name, and what is in it, as bytes and, where it is made of parts, as those. */
export interface Part {
  readonly name: Buffer;
  readonly body: Buffer;
  /** Count in place of the bytes. */
  readonly parts?: readonly Part[];
}

/** A container format taken apart and put together with every length and checksum right, so that damage goes deep. */
export interface MediaTree {
  readonly parse: (bytes: Buffer) => readonly Part[];
  readonly write: (parts: readonly Part[]) => Buffer;
}

const BOXES_OF_BOXES: ReadonlySet<string> = new Set(
  'moov trak mdia minf stbl edts dinf udta mvex moof traf mfra'.split(' '),
);

/** Boxes of ISO/IEC 14496-12, 4.2. */
export const ISO_TREE: MediaTree = {
  parse(bytes) {
    const parts: Part[] = [];
    for (let at = 0; at + 8 <= bytes.length;) {
      const size = bytes.readUInt32BE(at);
      const end = size < 8 ? bytes.length : Math.min(bytes.length, at + size);
      const name = bytes.subarray(at + 4, at + 8);
      const body = bytes.subarray(at + 8, end);
      parts.push({
        name,
        body,
        ...(BOXES_OF_BOXES.has(name.toString('latin1')) ? { parts: ISO_TREE.parse(body) } : {}),
      });
      at = end;
    }
    return parts;
  },
  write: (parts) =>
    Buffer.concat(
      parts.map(({ name, body, parts: inner }) => {
        const content = inner === undefined ? body : ISO_TREE.write(inner);
        const size = Buffer.alloc(4);
        size.writeUInt32BE(8 + content.length);
        return Buffer.concat([size, name, content]);
      }),
    ),
};

/** Chunks of PNG (ISO/IEC 15948, 5.3), each with its checksum. */
export const PNG_TREE: MediaTree = {
  parse(bytes) {
    const parts: Part[] = [];
    for (let at = 8; at + 12 <= bytes.length;) {
      const length = bytes.readUInt32BE(at);
      parts.push({ name: bytes.subarray(at + 4, at + 8), body: bytes.subarray(at + 8, at + 8 + length) });
      at += 12 + length;
    }
    return parts;
  },
  write: (parts) =>
    Buffer.concat([
      Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
      ...parts.flatMap(({ name, body, parts: inner }) => {
        const content = inner === undefined ? body : PNG_TREE.write(inner);
        const [size, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
        size.writeUInt32BE(content.length);
        checksum.writeUInt32BE(crc32(Buffer.concat([name, content])));
        return [size, name, content, checksum];
      }),
    ]),
};

/** Chunks of RIFF; the name of the first part is the type of the file. */
export const RIFF_TREE: MediaTree = {
  parse(bytes) {
    const parts: Part[] = [{ name: bytes.subarray(8, 12), body: Buffer.alloc(0) }];
    for (let at = 12; at + 8 <= bytes.length;) {
      const length = bytes.readUInt32LE(at + 4);
      parts.push({ name: bytes.subarray(at, at + 4), body: bytes.subarray(at + 8, at + 8 + length) });
      at += 8 + length + (length % 2);
    }
    return parts;
  },
  write: ([type, ...parts]) => {
    const chunks = parts.map(({ name, body, parts: inner }) => {
      const content = inner === undefined ? body : RIFF_TREE.write(inner);
      const size = Buffer.alloc(4);
      size.writeUInt32LE(content.length);
      return Buffer.concat([name, size, content, Buffer.alloc(content.length % 2)]);
    });
    const whole = Buffer.concat([type?.name ?? Buffer.from('WAVE'), ...chunks]);
    const size = Buffer.alloc(4);
    size.writeUInt32LE(whole.length);
    return Buffer.concat([Buffer.from('RIFF'), size, whole]);
  },
};

/** EBML, Segment, Cluster, Tracks, TrackEntry, Cues, BlockGroup. */
const ELEMENTS_OF_ELEMENTS: ReadonlySet<string> = new Set(
  '1a45dfa3 18538067 1f43b675 1654ae6b ae 1c53bb6b a0'.split(' '),
);

/** Elements of EBML (RFC 8794), with lengths of eight bytes. */
export const EBML_TREE: MediaTree = {
  parse(bytes) {
    const parts: Part[] = [];
    for (let at = 0; at + 2 <= bytes.length;) {
      const idBytes = Math.clz32((bytes[at] ?? 0) << 24) + 1;
      const sizeBytes = Math.clz32((bytes[at + idBytes] ?? 0) << 24) + 1;
      const bodyAt = at + idBytes + sizeBytes;
      if (idBytes > 4 || sizeBytes > 8 || bodyAt > bytes.length) break;
      let size = (bytes[at + idBytes] ?? 0) & ((1 << (8 - sizeBytes)) - 1);
      let isOpen = size === (1 << (8 - sizeBytes)) - 1;
      for (let place = at + idBytes + 1; place < bodyAt; place += 1) {
        size = size * 256 + (bytes[place] ?? 0);
        isOpen &&= bytes[place] === 0xff;
      }
      const end = isOpen ? bytes.length : Math.min(bytes.length, bodyAt + size);
      const name = bytes.subarray(at, at + idBytes);
      const body = bytes.subarray(bodyAt, end);
      parts.push({
        name,
        body,
        ...(ELEMENTS_OF_ELEMENTS.has(name.toString('hex')) ? { parts: EBML_TREE.parse(body) } : {}),
      });
      at = end;
    }
    return parts;
  },
  write: (parts) =>
    Buffer.concat(
      parts.map(({ name, body, parts: inner }) => {
        const content = inner === undefined ? body : EBML_TREE.write(inner);
        const size = Buffer.alloc(8);
        size.writeUInt32BE(content.length, 4);
        size[0] = 1;
        return Buffer.concat([name, size, content]);
      }),
    ),
};

const OGG_CRC: readonly number[] = Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 24;
  for (let bit = 0; bit < 8; bit += 1) crc = crc < 0 ? (crc << 1) ^ 0x04c1_1db7 : crc << 1;
  return crc >>> 0;
});

/** Pages of Ogg (RFC 3533, 6), each with its checksum; the name is the header up to the segments. */
export const OGG_TREE: MediaTree = {
  parse(bytes) {
    const parts: Part[] = [];
    for (let at = 0; at + 27 <= bytes.length;) {
      const segments = bytes[at + 26] ?? 0;
      const length = bytes.subarray(at + 27, at + 27 + segments).reduce((sum, one) => sum + one, 0);
      const bodyAt = at + 27 + segments;
      parts.push({ name: bytes.subarray(at, bodyAt), body: bytes.subarray(bodyAt, bodyAt + length) });
      at = bodyAt + length;
    }
    return parts;
  },
  write: (parts) =>
    Buffer.concat(
      parts.map(({ name, body, parts: inner }) => {
        const page = Buffer.concat([name, inner === undefined ? body : OGG_TREE.write(inner)]);
        if (page.length < 27) return page;
        page.writeUInt32LE(0, 22);
        let crc = 0;
        for (const byte of page) crc = ((crc << 8) ^ (OGG_CRC[(crc >>> 24) ^ byte] ?? 0)) >>> 0;
        page.writeUInt32LE(crc, 22);
        return page;
      }),
    ),
};
