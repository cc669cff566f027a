/**
 * Sheets of people who have never heard of Nocturne: made for other people or by another program, and none of their
 * headers is the name of a column here. Each holds rows that can run and rows that cannot.
 */
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sheetXml, workbookParts, zipParts } from './workbook-parts.ts';

const PICTURE = join(import.meta.dirname, '../fixtures/media/picture.png');

/**
 * A film crew's list: a workbook whose table begins below two lines of titles. Writes it into a folder, and returns its
 * path.
 */
export function shotList(folder: string): string {
  const shots = Array.from({ length: 12 }, (_, i) => [
    `${Math.floor(i / 4) + 1}${'ABCD'[i % 4]}`,
    i % 3 === 0 ? 'EXT. HARBOUR – NIGHT' : 'INT. LIGHTHOUSE – DAWN',
    `${i % 2 === 0 ? 'Wide' : 'Close'} on the keeper climbing step ${i + 1}, lamp light sweeping over wet stone`,
    '35 mm',
    i % 5 === 0 ? 'vertical' : '16:9',
    i % 4 === 3 ? 'pick-up if time allows' : '',
  ]);
  // A scene that nobody has described yet.
  const open = ['7A', 'EXT. BEACH – DAY', '', '50 mm', '16:9', 'tbc'];
  const lines = [
    ['THE KEEPER – Shot list', '', '', '', '', ''],
    ['Draft 3, 12 November 2026', '', '', '', '', ''],
    ['Shot', 'Slug line', 'Description', 'Lens', 'Aspect', 'Remarks'],
    ...shots,
    open,
  ];
  return written(folder, 'Keeper shot list.xlsx', zipParts(workbookParts(sheetXml(lines))));
}

/** A band's list, as a German spreadsheet saves it: semicolons, and letters of Latin-1. */
export function songList(folder: string): string {
  const songs = Array.from({ length: 5 }, (_, i) => [
    String(i + 1),
    `Lied über Möwen ${i + 1}`,
    `Ein ruhiges Lied über Möwen, große Wellen und den ${i + 1}. Sturm des Jahres`,
    i % 2 === 0 ? 'Küstenfolk|ruhig' : 'Chor',
    i === 4 ? 'Strophe 2 kürzen' : '',
  ]);
  const text = [['Nr', 'Titel', 'Beschreibung', 'Musikstil', 'Bemerkung'], ...songs].map((cells) => cells.join(';'));
  return written(folder, 'Möwenlieder.csv', Buffer.from(`${text.join('\r\n')}\r\n`, 'latin1'));
}

/** A shop's export, with its pictures in a folder beside it; one of them is missing. */
export function productCatalogue(folder: string): string {
  mkdirSync(join(folder, 'photos'));
  const products = ['Kettle', 'Teapot', 'Cup', 'Saucer', 'Jug', 'Bowl', 'Plate', 'Spoon'];
  const lines = products.map((name, i) => {
    const photo = `photos/${name.toLowerCase()}.png`;
    if (name !== 'Spoon') copyFileSync(PICTURE, join(folder, photo));
    return `SKU-${1000 + i},${name},"${name}, on a linen cloth, turning slowly in soft window light",${photo},${19 + i}.90`;
  });
  return written(folder, 'catalogue.csv', ['Article,Product name,Ad text,Image,"Price, EUR"', ...lines].join('\n'));
}

/** A Chinese list of pictures in GB18030, with letters that only this encoding has. */
export function chineseList(folder: string): string {
  const places = ['灯塔', '渔港', '𠮷野山', '古城', '竹林', '雪山', '茶园', '石桥', '老街', '沙漠'];
  const lines = places.map(
    (place, i) => `图-${i + 1},清晨的${place}，薄雾，电影感光线,${i % 2 === 0 ? '16:9' : '1:1'},第${i + 1}张`,
  );
  const text = ['编号,提示词,画面比例,备注', ...lines].join('\r\n');
  return written(folder, '风景图片.csv', gb18030(`${text}\r\n`));
}

/** The answers to a form of questions, as Google Sheets saves them. */
export function formAnswers(folder: string): string {
  const questions = [
    'Timestamp',
    'Email address',
    'What is your name?',
    'What should your song be about?',
    'Which style of music do you like?',
    'May we play it at the party?',
  ];
  const answers = Array.from({ length: 5 }, (_, i) => [
    `2026/11/${String(i + 10)} 7:${String(i + 10)}:05 PM GMT+1`,
    `guest${i + 1}@example.org`,
    ['Ana', 'Björn', 'Chidi', 'Dana'][i % 4] ?? '',
    // Somebody pressed “Submit” too soon.
    i === 3 ? '' : `The summer when we were ${i + 12}, and the lake`,
    i === 3 ? '' : (['Jazz', 'Indie pop, slow', 'Waltz'][i % 3] ?? ''),
    i % 2 === 0 ? 'Yes' : 'No',
  ]);
  const text = [questions, ...answers].map((cells) => cells.map((cell) => (/[",]/u.test(cell) ? `"${cell}"` : cell)));
  return written(
    folder,
    'Party songs (Responses) - Form Responses 1.csv',
    text.map((cells) => cells.join(',')).join('\r\n'),
  );
}

function written(folder: string, name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

/** In GB18030: ASCII and two-byte characters as the decoder has them, and the planes above the first by counting. */
function gb18030(text: string): Uint8Array {
  const decoder = new TextDecoder('gb18030');
  const codes = new Map<string, readonly number[]>();
  for (let lead = 0x81; lead <= 0xfe; lead += 1) {
    for (let trail = 0x40; trail <= 0xfe; trail += 1) {
      const letter = decoder.decode(Uint8Array.of(lead, trail));
      if (trail !== 0x7f && letter.length === 1) codes.set(letter, [lead, trail]);
    }
  }
  return Uint8Array.from(
    Array.from(text).flatMap((letter) => {
      const point = letter.codePointAt(0) ?? 0;
      if (point < 0x80) return [point];
      if (point < 0x1_00_00) return codes.get(letter) ?? [];
      const place = point - 0x1_00_00;
      const tens = Math.floor(place / 10);
      return [
        0x90 + Math.floor(tens / 1_260),
        0x30 + (Math.floor(tens / 126) % 10),
        0x81 + (tens % 126),
        0x30 + (place % 10),
      ];
    }),
  );
}
