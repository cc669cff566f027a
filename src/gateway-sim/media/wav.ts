import { SAMPLE_RATE } from './melody.ts';
import type { FileNotes } from './mp3.ts';

/** Samples of one channel as a WAV file of 16 bits, with its title and comment inside. */
export function encodeWav(samples: Int16Array, notes: FileNotes): Buffer {
  const format = Buffer.alloc(16);
  format.writeUInt16LE(1, 0);
  format.writeUInt16LE(1, 2);
  format.writeUInt32LE(SAMPLE_RATE, 4);
  format.writeUInt32LE(SAMPLE_RATE * 2, 8);
  format.writeUInt16LE(2, 12);
  format.writeUInt16LE(16, 14);
  const info = [
    Buffer.from('INFO', 'latin1'),
    chunk('INAM', Buffer.from(`${notes.title}\0`, 'utf8')),
    chunk('ICMT', Buffer.from(`${notes.prompt} (${notes.identity})\0`, 'utf8')),
  ];
  const sound = Buffer.alloc(samples.length * 2);
  for (const [at, sample] of samples.entries()) sound.writeInt16LE(sample, at * 2);
  const parts = [
    Buffer.from('WAVE', 'latin1'),
    chunk('fmt ', format),
    chunk('LIST', Buffer.concat(info)),
    chunk('data', sound),
  ];
  return chunk('RIFF', Buffer.concat(parts));
}

function chunk(id: string, content: Buffer): Buffer {
  const header = Buffer.alloc(8);
  header.write(id, 'latin1');
  header.writeUInt32LE(content.length, 4);
  return Buffer.concat([header, content, Buffer.alloc(content.length % 2)]);
}
