/** How much of a file is enough to recognise its script. */
const LOOKED_AT_BYTES = 1024 * 1024;
/**
 * Chinese text is nearly all in the area of GB 2312, and its characters are side by side: two isolated high bytes, such
 * as “çã” in a Portuguese word, would make a single Chinese character between Latin letters.
 */
const GBK_SHARE = 0.8;
const GBK_RUN_SHARE = 0.5;
/**
 * Cyrillic words are runs of high bytes; in Western languages, high bytes are single or in pairs between ASCII letters.
 */
const CYRILLIC_RUN = 3;
const CYRILLIC_RUN_SHARE = 0.5;
/** Within a word, a capital hardly ever follows a small letter; in Greek and Arabic read as Cyrillic, it often does. */
const CASE_BREAK_SHARE = 0.05;
/** Japanese text is full of kana, and has few of the half-width kana that most other bytes would decode to. */
const KANA_SHARE = 0.15;
const HALF_WIDTH_SHARE = 0.2;

/**
 * Guesses the encoding of a text that is not UTF-8 and does not declare one: Chinese, Japanese, Cyrillic, or Western
 * European, which can decode any bytes. Counts how often the bytes form the typical characters of such text.
 */
export function guessEncoding(bytes: Buffer): 'gbk' | 'shift_jis' | 'windows-1251' | 'windows-1252' {
  const start = bytes.subarray(0, LOOKED_AT_BYTES);
  const isWhole = start.length === bytes.length;
  if (looksJapanese(start)) return 'shift_jis';
  if (looksChinese(start, isWhole)) return 'gbk';
  return looksCyrillic(start) ? 'windows-1251' : 'windows-1252';
}

/**
 * GBK: two bytes per character, the first 81 to FE, the second 40 to FE without 7F; GB 2312 has A1 to F7 and A1 to FE.
 * The characters of everyday text begin with B0 to D7 there; two Cyrillic small letters would make one with E0. GB
 * 18030 adds rare characters of four bytes, in which the second and the last are ASCII digits.
 */
function looksChinese(bytes: Buffer, isWhole: boolean): boolean {
  let pairs = 0;
  let common = 0;
  let everyday = 0;
  let inRuns = 0;
  let run = 0;
  for (let at = 0; at < bytes.length; at++) {
    const lead = bytes[at] ?? 0;
    if (lead < 0x80) {
      run = 0;
      continue;
    }
    const trail = bytes[++at];
    if (trail === undefined) {
      if (isWhole) return false;
      break;
    }
    if (lead === 0x80 || lead === 0xff || trail === 0x7f || trail === 0xff) return false;
    pairs++;
    run++;
    if (trail < 0x40) {
      if (!isRestOfFour(bytes, at)) return false;
      at += 2;
    }
    if (run === 2) inRuns += 2;
    else if (run > 2) inRuns++;
    if (trail < 0xa1 || lead < 0xa1 || lead > 0xf7) continue;
    common++;
    if (lead >= 0xb0 && lead <= 0xd7) everyday++;
  }
  const isSideBySide = inRuns >= pairs * GBK_RUN_SHARE;
  return isSideBySide && everyday * 2 >= pairs && everyday > 0 && common >= pairs * GBK_SHARE;
}

/** Whether a character of four bytes has its last three here, or as many of them as there are left. */
function isRestOfFour(bytes: Buffer, at: number): boolean {
  const isDigit = (byte = 0x30): boolean => byte >= 0x30 && byte <= 0x39;
  const { [at]: second, [at + 1]: third = 0x81, [at + 2]: last } = bytes;
  return isDigit(second) && third >= 0x81 && third < 0xff && isDigit(last);
}

/**
 * Windows-1251: capitals C0 to DF, small letters E0 to FF, and before them letters that Russian seldom or never uses.
 */
function looksCyrillic(bytes: Buffer): boolean {
  let letters = 0;
  let inRuns = 0;
  let caseBreaks = 0;
  let run = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte < 0xc0 && !OTHER_CYRILLIC.has(byte)) {
      run = 0;
      continue;
    }
    letters++;
    run++;
    if (run === CYRILLIC_RUN) inRuns += CYRILLIC_RUN;
    else if (run > CYRILLIC_RUN) inRuns++;
    if (run > 1 && byte >= 0xc0 && byte < 0xe0 && (bytes[at - 1] ?? 0) >= 0xe0) caseBreaks++;
  }
  return inRuns > 0 && inRuns >= letters * CYRILLIC_RUN_SHARE && caseBreaks <= letters * CASE_BREAK_SHARE;
}

/** Ё ё of Russian, І і Ї ї Є є Ґ ґ of Ukrainian, Ў ў of Belarusian, Ј ј of Serbian. */
const OTHER_CYRILLIC: ReadonlySet<number> = new Set([
  0xa8, 0xb8, 0xb2, 0xb3, 0xaf, 0xbf, 0xaa, 0xba, 0xa5, 0xb4, 0xa1, 0xa2, 0xa3, 0xbc,
]);

/** Shift-JIS: half-width kana A1 to DF alone; otherwise two bytes, of which 82 9F to F1 and 83 40 to 96 are kana. */
function looksJapanese(bytes: Buffer): boolean {
  let characters = 0;
  let kana = 0;
  let halfWidth = 0;
  for (let at = 0; at < bytes.length; at++) {
    const lead = bytes[at] ?? 0;
    if (lead < 0x80) continue;
    characters++;
    if (lead >= 0xa1 && lead <= 0xdf) {
      halfWidth++;
      continue;
    }
    const trail = bytes[++at];
    if (trail === undefined) break;
    if (lead === 0x80 || lead === 0xa0 || lead > 0xfc || trail < 0x40 || trail === 0x7f || trail > 0xfc) return false;
    if (lead === 0x82 ? trail >= 0x9f && trail <= 0xf1 : lead === 0x83 && trail <= 0x96) kana++;
  }
  return kana > 0 && kana >= characters * KANA_SHARE && halfWidth <= characters * HALF_WIDTH_SHARE;
}
