import { describe, expect, it, onTestFinished } from 'vitest';
import { speakLanguage } from '../../../../src/shared/words/catalogues.ts';
import { askGates, flagInEnglish, spokenFlag, uncheckedText } from '../../../../src/shared/domain/gates/ask-gates.ts';
import {
  gatesText,
  readGate,
  readGateSettings,
  USUAL_GATES,
} from '../../../../src/shared/domain/gates/gate-settings.ts';
import { GATE_CODES, GATES, type GateCode } from '../../../../src/shared/domain/gates/gates.ts';
import {
  askedIn,
  printDistance,
  type WishedFile,
  type MeasuredFile,
  type OtherTake,
} from '../../../../src/shared/domain/gates/measured-file.ts';

const SHA = 'a'.repeat(64);
const FILM: MeasuredFile = {
  kind: 'video',
  bytes: 900_000,
  sha256: SHA,
  seconds: 8,
  width: 1280,
  height: 720,
  decoded: {
    seconds: 8,
    errors: 0,
    isBroken: false,
    loudness: -16,
    clipped: 0,
    silent: 5,
    black: 0,
    frozen: 0,
    blur: 5,
  },
};
const SONG: MeasuredFile = {
  kind: 'music',
  bytes: 900_000,
  sha256: SHA,
  seconds: 120,
  decoded: { seconds: 120, errors: 0, isBroken: false, loudness: -14, clipped: 0, silent: 5 },
};

function flagged(file: MeasuredFile, asked: WishedFile = {}, others: readonly OtherTake[] = []): readonly string[] {
  return askGates(file, { on: USUAL_GATES.on, asked, others }).flags.map(({ gate }) => gate);
}

function decodedAs(file: MeasuredFile, facts: object): MeasuredFile {
  return { ...file, decoded: { ...file.decoded, ...facts } };
}

describe('the gates', () => {
  const ASKED = askedIn({ aspectRatio: '16:9', duration: 8, resolution: '720p' });
  it.each<[code: GateCode, file: MeasuredFile, asked?: WishedFile, others?: OtherTake[]]>([
    ['decodes', decodedAs(FILM, { isBroken: true })],
    ['decodes', decodedAs(FILM, { errors: 4 })],
    ['decodes', decodedAs(FILM, { seconds: 3 })],
    ['tiny', { ...SONG, bytes: 99 }],
    ['short', { ...SONG, seconds: 0.4 }],
    ['length', { ...FILM, seconds: 5 }, ASKED],
    ['aspect', { ...FILM, width: 720, height: 1280 }, ASKED],
    ['aspect', FILM, askedIn({ orientation: 'portrait' })],
    ['resolution', { ...FILM, width: 640, height: 360 }, ASKED],
    ['silence', decodedAs(SONG, { silent: 51 })],
    ['quiet', decodedAs(SONG, { loudness: -41 })],
    ['loud', decodedAs(SONG, { loudness: -3 })],
    ['clipping', decodedAs(SONG, { clipped: 3 })],
    ['black', decodedAs(FILM, { black: 51 })],
    ['frozen', decodedAs(FILM, { frozen: 81 })],
    ['blur', decodedAs(FILM, { blur: 15 })],
    ['twin', SONG, {}, [{ path: 'music/b.mp3', sha256: SHA }]],
  ])('%s flags what it is for, and nothing else does', (code, file, asked, others) => {
    expect(flagged(file, asked, others)).toEqual([code]);
  });

  it('stay silent on good files', () => {
    expect(flagged(FILM, ASKED, [{ path: 'b.mp4', sha256: 'b'.repeat(64) }])).toEqual([]);
    expect(flagged(SONG, askedIn({ duration: '2m' }))).toEqual([]);
  });

  it('never flag what was not measured, and say so', () => {
    const report = askGates(
      { ...FILM, decoded: { not: 'no-ffmpeg' } },
      { on: USUAL_GATES.on, asked: ASKED, others: [] },
    );
    expect(report.flags).toEqual([]);
    expect(report.unchecked).toEqual(['decodes', 'silence', 'clipping', 'black', 'frozen', 'blur']);
    expect(uncheckedText(report.why ?? 'failed')).toBe('not checked: ffmpeg is not installed');
  });

  it('ask only those that are on, and that concern the kind of file', () => {
    const black = decodedAs(FILM, { black: 100, frozen: 100 });
    const { flags } = askGates(black, { on: { frozen: 90 }, asked: {}, others: [] });
    expect(flags).toMatchObject([{ gate: 'frozen', message: 'Its picture stands still for 100 % of its length.' }]);
    expect(askGates(decodedAs(SONG, { black: 100 }), { on: { black: 1 }, asked: {}, others: [] }).flags).toEqual([]);
    expect(flagged(decodedAs(FILM, { frozen: 100 }), askedIn({}, 'musicgen/music/mp4'))).toEqual([]);
  });

  it('keep what they find in English, and say it in the language of the window', () => {
    speakLanguage('zh-Hans');
    onTestFinished(() => speakLanguage('en'));
    const file = decodedAs(FILM, { black: 97.5 });
    const { flags } = askGates(file, { on: { black: 50 }, asked: {}, others: [] });
    expect(flags.map(flagInEnglish)).toEqual([{ gate: 'black', message: '97.5 % of it is black.' }]);
    expect(flags.map(spokenFlag)).toEqual([{ gate: 'black', message: '97.5 % 是黑色。' }]);
    // As an earlier version has kept it.
    expect(spokenFlag({ gate: 'black', message: '97.5 % of it is black.' }).message).toBe('97.5 % of it is black.');
  });

  it('have words that end, a value within bounds, and a remedy', () => {
    for (const code of GATE_CODES) {
      const { usual, least, most, remedy } = GATES[code];
      expect(usual >= least && usual <= most).toBe(true);
      expect(remedy).toMatch(/\.$/u);
    }
  });
});

describe('what a request asks for', () => {
  it.each<[Parameters<typeof askedIn>[0], WishedFile]>([
    [
      { duration: '8s', aspect_ratio: '9:16' },
      { seconds: 8, aspect: 9 / 16 },
    ],
    [{ size: '1024x768' }, { aspect: 1024 / 768, shortSide: 768 }],
    [
      { resolution: '1080p', orientation: 'Landscape' },
      { orientation: 'landscape', shortSide: 1080 },
    ],
    [{ resolution: '4K' }, { shortSide: 2000 }],
    [{ size: 'large', duration: 'long', aspectRatio: 'auto', resolution: 7 }, {}],
    [{ size: '0x0', duration: -1, aspectRatio: '16:0' }, {}],
    [{ duration: '9'.repeat(400) }, {}],
  ])('%j', (request, asked) => {
    expect(askedIn(request)).toEqual(asked);
  });
});

describe('settings of gates', () => {
  it('are read from a word', () => {
    expect(readGate('black')).toEqual({ ok: true, value: { black: 50 } });
    expect(readGate('black=30%')).toEqual({ ok: true, value: { black: 30 } });
    expect(readGate('quiet=-30.5')).toEqual({ ok: true, value: { quiet: -30.5 } });
    for (const wrong of ['', 'blck', 'black=', 'black=101', 'black=x', 'black=1e1', 'quiet=-30%', 'short=-1']) {
      expect(readGate(wrong)).toMatchObject({ ok: false });
    }
  });

  it('are read from a file', () => {
    expect(readGateSettings('{"on":{"black":30,"silence":true}}')).toEqual({
      ok: true,
      value: { on: { black: 30, silence: 50 } },
    });
    for (const wrong of [
      '',
      '[]',
      '{}',
      '{"on":{"blck":1}}',
      '{"on":{"black":101}}',
      '{"on":{},"x":1}',
      '{"on":{"black":"1"}}',
    ]) {
      expect(readGateSettings(wrong)).toMatchObject({ ok: false });
    }
  });

  it('are shown on one line', () => {
    expect(gatesText({ on: { silence: 50, quiet: -40 } })).toBe('silence 50%, quiet -40 LUFS');
    expect(gatesText({ on: {} })).toBe('none');
  });
});

describe('prints of pictures', () => {
  it('differ by the share of their bits', () => {
    expect(printDistance('ff00', 'ff00')).toBe(0);
    expect(printDistance('ff00', 'ff01')).toBe(100 / 16);
    expect(printDistance('', '')).toBe(100);
    expect(printDistance('ff', 'ff00')).toBe(100);
  });
});
