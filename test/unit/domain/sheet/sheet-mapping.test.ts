import { describe, expect, test } from 'vitest';
import { checkSheet } from '../../../../src/shared/domain/sheet/check-sheet.ts';
import tables from '../../../../resources/tables/column-words.json' with { type: 'json' };
import { hintsOf, synonymsOf } from '../../../../src/shared/domain/sheet/column-synonyms.ts';
import { describeColumns } from '../../../../src/shared/domain/sheet/describe-columns.ts';
import { KeyFinder } from '../../../../src/shared/domain/base/key-finder.ts';
import { foldName } from '../../../../src/shared/domain/base/nearest-name.ts';
import { isSheetRefused } from '../../../../src/shared/domain/sheet/row.ts';
import { KNOWN_COLUMNS } from '../../../../src/shared/domain/sheet/sheet-columns.ts';
import { createSheetChecker } from '../../../../src/shared/domain/sheet/sheet-checker.ts';
import { places, rawSheet } from '../../../support/sheet-files.ts';

const LINES = [
  ['ID', 'Type', 'Prompt text', 'Aspect', 'Style', 'My notes'],
  ['a', 'image', 'x', '1:1', '', 'n'],
  ['b', 'video-b', 'y', '16:9', '', ''],
  ['c', 'music', 'z', '', 'calm|slow', ''],
];

describe('headers in other words', () => {
  test('are understood and said', () => {
    const sheet = checkSheet(rawSheet(LINES));
    expect(sheet.rows.map(({ id, body }) => [id, body])).toEqual([
      ['a', { prompt: 'x', aspect_ratio: '1:1' }],
      ['b', { prompt: 'y', aspectRatio: '16:9' }],
      ['c', { prompt: 'z', tags: ['calm', 'slow'] }],
    ]);
    expect(places(sheet.problems)).toEqual([
      'warning header-matched ID',
      'warning header-matched Type',
      'warning header-matched Prompt text',
      'warning header-matched Aspect',
      'warning header-matched Style',
      'warning unknown-column My notes',
    ]);
  });

  test('of two that mean the same column, the second is not sent, and is said to mean it', () => {
    const sheet = checkSheet(
      rawSheet([
        ['operation', 'prompt', 'Prompt text'],
        ['image', 'A kite', 'A dragon'],
      ]),
    );
    expect(sheet.rows.map(({ body }) => body)).toEqual([{ prompt: 'A kite' }]);
    expect(sheet.problems).toMatchObject([
      {
        severity: 'warning',
        code: 'unknown-column',
        column: 'Prompt text',
        message: 'The column “Prompt text” is not sent: it means “prompt”, which “prompt” already gives.',
      },
    ]);
  });

  test('in German, French, Spanish, Chinese and Japanese', () => {
    for (const [header, column] of [
      ['Titel', 'title'],
      ['Musikstil', 'tags'],
      ['durée', 'duration'],
      ['género', 'tags'],
      ['提示词', 'prompt'],
      ['曲风', 'tags'],
      ['比例', 'aspectRatio'],
      ['版数', 'takes'],
      ['Ref Img', 'images'],
      ['タイトル', 'title'],
    ]) {
      expect(describeColumns([header ?? ''])[0]).toMatchObject({ column, how: 'synonym' });
    }
    // How many there are may be a stock, which nobody wants to pay for.
    for (const [header, column] of [
      ['数量', 'takes'],
      ['序号', 'row'],
      ['Clip Type', 'operation'],
      ['Clip description', 'prompt'],
    ]) {
      const [found] = describeColumns([header ?? '']);
      expect(found).toMatchObject({ column: '', how: 'unknown' });
      expect(found?.suggestions).toContain(column);
    }
  });

  test('are understood with pictures beside them, too', () => {
    expect(synonymsOf('Song Title 🎵')).toEqual(['title']);
    expect(synonymsOf('⚙️ Titel (optional)')).toEqual(['title']);
    expect(synonymsOf('👩‍🎤')).toEqual([]);
  });

  test('are understood with their unit, which is the one that gateways take', () => {
    for (const header of ['Length (sec)', 'Duration (s)', 'length [seconds]', 'Länge (Sek)', '时长（秒）'])
      expect(describeColumns([header])[0]).toMatchObject({ header, column: 'duration', how: 'synonym' });
    expect(describeColumns(['Length (min)'])[0]).toMatchObject({ column: '', how: 'unknown' });
  });

  test('of which one stands beside another are offered, and not taken', () => {
    const sheet = checkSheet(
      rawSheet([
        ['operation', 'Lyrics / prompt', 'Dates/times'],
        ['image', 'A kite', 'May'],
      ]),
    );
    expect(sheet.problems.filter(({ code }) => code === 'unknown-column').map(({ remedy }) => remedy)).toEqual([
      'If it should be sent, put it into “prompt”; otherwise leave it as it is.',
      'Check its spelling if it should be sent; otherwise leave it as it is.',
    ]);
  });

  test('never take a column from a header that has its name', () => {
    const sheet = checkSheet(
      rawSheet([
        ['operation', 'prompt', 'Prompt text'],
        ['lyrics', 'own', 'other'],
      ]),
    );
    expect(sheet.rows[0]?.body).toEqual({ prompt: 'own' });
    expect(places(sheet.problems)).toEqual(['warning unknown-column Prompt text']);
  });

  test('the table names columns that there are, no word twice, and none that is a name already', () => {
    const known = new Set(KNOWN_COLUMNS);
    const folded = new Set(KNOWN_COLUMNS.map(foldName));
    const seen = new Map<string, string>();
    for (const { columns, words } of [...tables.synonyms, ...tables.hints]) {
      for (const column of columns) expect(known.has(column)).toBe(true);
      for (const word of words) {
        const meant = synonymsOf(word);
        expect([word, meant.length > 0 ? meant : hintsOf(word)]).toEqual([word, columns]);
        const isSure = synonymsOf(word).join() === columns.join();
        if (isSure) expect([word, folded.has(foldName(word))]).toEqual([word, false]);
        expect([word, seen.get(foldName(word))]).toEqual([word, undefined]);
        seen.set(foldName(word), word);
      }
    }
  });
});

describe('questions of a form', () => {
  test.each([
    ['What should the song be about?', 'gpt_description_prompt'],
    ['What’s your song about? *', 'gpt_description_prompt'],
    ['Worum soll es in dem Lied gehen?', 'gpt_description_prompt'],
    ['您希望歌曲是关于什么的？', 'gpt_description_prompt'],
    ['这首歌是关于什么的？', 'gpt_description_prompt'],
    ['这首歌应该讲什么？', 'gpt_description_prompt'],
    ['这段视频应该展示什么？', 'prompt'],
    ['Describe the picture you want', 'prompt'],
    ['What do you want to see in the video?', 'prompt'],
    ['请描述您想要的画面', 'prompt'],
    ['Which style? (optional)', 'tags'],
    ['What kind of music do you like?', 'tags'],
    ['Welcher Musikstil? (freiwillig)', 'tags'],
    ['你喜欢什么风格的音乐？（选填）', 'tags'],
    ['What should we call the song?', 'title'],
    ['Your song title', 'title'],
    ['Title (optional)', 'title'],
    ['Wie soll das Lied heißen?', 'title'],
    ['Should it be instrumental?', 'make_instrumental'],
    ['Is it instrumental?', 'make_instrumental'],
    ['Soll es instrumental sein?', 'make_instrumental'],
    ['是否纯音乐？', 'make_instrumental'],
    ['What is this song about?', 'gpt_description_prompt'],
  ])('%s is taken for %s, to be confirmed', (header, column) => {
    expect(describeColumns([header])[0]).toMatchObject({ column, how: 'synonym' });
    expect(
      places(
        checkSheet(
          rawSheet([
            ['operation', header],
            ['music', 'x'],
          ]),
        ).problems,
      ),
    ).toContain(`warning header-matched ${header}`);
  });

  test.each([
    'Timestamp',
    'Email Address',
    'Zeitstempel',
    '时间戳记',
    'What is your name?',
    'What is your gender?',
    'What is your job?',
    'What is your ID?',
    'Your address',
    'How did you hear about us?',
    'Who is the song for?',
    'Which song should the video use?',
    'What?',
    'May we play it at the party?',
    // “Yes” would be paid for.
    'Is this song about you?',
    'Do you like this kind of music? *',
    'Will you describe the picture?',
    'Have you a title?',
    'Can you tell us the idea?',
    'Ist das Lied das Thema?',
    'Willst du einen Musikstil?',
    'Kann das Bild beschreiben?',
    '您喜欢这首歌曲的主题吗？（必填）',
    '是否描述歌曲',
    '你有歌名吗',
  ])('%s is about somebody, and neither sent nor suggested', (header) => {
    expect(describeColumns([header])[0]).toMatchObject({ column: '', how: 'unknown', suggestions: [] });
  });

  test.each([
    ['What is it about?', ['prompt', 'gpt_description_prompt']],
    ['What is the title?', ['title']],
    ['How many versions would you like?', ['num_images', 'takes']],
  ])('%s may mean a column, which is only suggested', (header, suggestions) => {
    expect(describeColumns([header])[0]).toMatchObject({ column: '', how: 'unknown', suggestions });
  });

  test('never take a column from a header that has its name, and refuse no sheet', () => {
    const { rows, problems } = checkSheet(
      rawSheet([
        ['operation', 'tags', 'Which style?', 'tags (optional)'],
        ['music', 'own', 'other', 'more'],
      ]),
    );
    expect(rows[0]?.body).toEqual({ tags: ['own'] });
    expect(places(problems)).toEqual(['warning unknown-column Which style?', 'warning unknown-column tags (optional)']);
  });
});

describe('what the user chose', () => {
  const mapping = {
    ID: 'row',
    Type: 'operation',
    'Prompt text': 'prompt',
    Aspect: 'aspectRatio',
    Style: '',
    'My notes': 'note',
  };

  test('wins, needs no warning, and is for every operation that calls it nearly so', () => {
    const sheet = checkSheet(rawSheet(LINES), { mapping });
    expect(sheet.problems).toEqual([]);
    expect(sheet.rows.map(({ body }) => body)).toEqual([
      { prompt: 'x', aspect_ratio: '1:1' },
      { prompt: 'y', aspectRatio: '16:9' },
      { prompt: 'z' },
    ]);
    expect(sheet.rows[0]?.note).toBe('n');
  });

  test('as one of the columns that a header means confirms the others, too, and the same bodies are sent', () => {
    for (const header of ['Pictures', '图片', 'Ratio', 'Reference image (optional)']) {
      const lines = [
        ['operation', 'prompt', header, 'image_list'],
        ['video-a', 'x', 'https://example.com/a.png', ''],
        ['video-b', 'y', 'https://example.com/b.png', ''],
        ['image', 'z', 'https://example.com/c.png', ''],
      ];
      for (const width of [3, 4]) {
        const raw = rawSheet(lines.map((line) => line.slice(0, width)));
        const found = describeColumns(raw.headers).find((column) => column.header === header);
        const mapping = { [header]: found?.column ?? '' };
        expect(describeColumns(raw.headers, mapping)).toContainEqual({
          ...found,
          how: 'chosen',
          suggestions: [],
        });
        const bodies = checkSheet(raw).rows.map(({ body }) => body);
        expect(checkSheet(raw, { mapping }).rows.map(({ body }) => body)).toEqual(bodies);
      }
    }
  });

  test('wins over the header that has the name, which is then not sent and said so', () => {
    const lines = [
      ['operation', 'prompt', 'Better prompt'],
      ['lyrics', 'old', 'new'],
    ];
    const sheet = checkSheet(rawSheet(lines), { mapping: { 'Better prompt': 'prompt' } });
    expect(sheet.rows[0]?.body).toEqual({ prompt: 'new' });
    expect(places(sheet.problems)).toEqual(['warning unknown-column prompt']);
    expect(sheet.problems[0]?.message).toContain('“Better prompt”');
  });

  test('for one column twice refuses the sheet', () => {
    const sheet = checkSheet(rawSheet(LINES), { mapping: { Style: 'prompt', 'Prompt text': 'prompt' } });
    expect(places(sheet.problems)).toContain('error duplicate-header Style');
    expect(isSheetRefused(sheet)).toBe(true);
  });

  test('for a header or a column that is not there is said with the nearest one', () => {
    const sheet = checkSheet(rawSheet(LINES), { mapping: { 'Prompt texts': 'prompt', Style: 'tagz' } });
    expect(places(sheet.problems)).toContain('warning mapping-unknown Prompt texts');
    expect(places(sheet.problems)).toContain('error mapping-unknown Style');
    expect(sheet.problems.map(({ remedy }) => remedy)).toEqual(
      expect.arrayContaining(['Did you mean “Prompt text”?', 'Did you mean “tags”?']),
    );
    expect(isSheetRefused(sheet)).toBe(true);
  });

  test('a header like a part of every object is a name like any other', () => {
    const lines = [
      ['operation', 'prompt', '__proto__', 'constructor'],
      ['lyrics', 'x {constructor}', 'p', 'c'],
    ];
    const sheet = checkSheet(rawSheet(lines), {
      mapping: JSON.parse('{"__proto__":"note"}') as Record<string, string>,
    });
    expect(sheet.rows[0]).toMatchObject({ note: 'p', body: { prompt: 'x c' } });
    expect(sheet.problems).toEqual([]);
  });
});

const ANY = expect.any(Array) as string[];

test('counts in the words of a problem have their thousands apart', () => {
  const rows = Array.from({ length: 10_000 }, (_, row) => ['lyrics', 'the same', `https://x.test/${row}`]);
  const sheet = checkSheet(rawSheet([['operation', 'prompt', 'audioUrl'], ...rows]));
  const words = sheet.problems.map(({ message }) => message).join(' ');
  expect(words).toContain('and 9,995 more');
  expect(words).toContain('10,000 rows, lines');
  expect(words).toContain('10,000 times');
});

describe('columns described for the window', () => {
  test('name each header, what it is taken for, how, and what else it may be', () => {
    const headers = ['prompt', 'Title', 'Aspect', 'genre', 'promt', 'lyrics', 'My notes', '', 'x'];
    expect(describeColumns(headers, { x: '', 'My notes': 'note' })).toEqual([
      { header: 'prompt', column: 'prompt', how: 'exact', also: [], suggestions: [] },
      { header: 'Title', column: 'title', how: 'exact', also: [], suggestions: [] },
      { header: 'Aspect', column: 'aspectRatio', how: 'synonym', also: ['aspect_ratio'], suggestions: ANY },
      { header: 'genre', column: 'tags', how: 'synonym', also: [], suggestions: ANY },
      {
        header: 'promt',
        column: '',
        how: 'unknown',
        also: [],
        suggestions: expect.arrayContaining(['prompt']) as string[],
      },
      {
        header: 'lyrics',
        column: '',
        how: 'unknown',
        also: [],
        suggestions: expect.arrayContaining(['prompt']) as string[],
      },
      { header: 'My notes', column: 'note', how: 'chosen', also: [], suggestions: [] },
      { header: '', column: '', how: 'nameless', also: [], suggestions: [] },
      { header: 'x', column: '', how: 'ignored', also: [], suggestions: [] },
    ]);
  });
});

describe('a checker of single rows', () => {
  test('says of a row what the check of the whole sheet says of it alone', () => {
    const options = {
      mapping: { Style: 'tags' },
      variables: { mood: 'calm' },
      keyFinder: new KeyFinder(['sk-123456']),
    };
    const cells = [
      ['a', 'image', 'x {mood} {moood}', '1:1', '', 'n'],
      ['b', 'musick', 'y', '', '', ''],
      ['c', 'lyrics', 'my key is sk-123456', '', '', ''],
    ];
    const whole = checkSheet(rawSheet([LINES[0] ?? [], ...cells]), options);
    const checker = createSheetChecker(LINES[0] ?? [], options);
    const single = cells.map((row, index) => checker.checkRecord({ line: index + 2, cells: row }, row[0] ?? ''));
    expect(single.map(({ row }) => row)).toEqual(whole.rows);
    expect(single.flatMap(({ problems }) => places(problems)).toSorted()).toEqual(
      places(whole.problems.filter(({ line }) => line !== undefined)).toSorted(),
    );
    expect(JSON.stringify(single)).not.toContain('sk-123456');
    expect(places(checker.problems)).toEqual(places(whole.problems.filter(({ line }) => line === undefined)));
  });
});

describe('what duplicates cost', () => {
  test('is said with all takes counted, by currency', () => {
    const lines = [
      ['row', 'operation', 'prompt', 'takes'],
      ['a', 'music', 'x', '2'],
      ['b', 'music', 'x', '1'],
      ['c', 'lyrics', 'x', '1'],
      ['d', 'lyrics', 'x', '1'],
    ];
    const prices = { 'musicgen/music/generate': { amount: 0.1, currency: 'USD' } };
    const { problems } = checkSheet(rawSheet(lines), { prices });
    expect(problems[0]?.message).toContain('0.30 USD for 3 takes, where the first row alone is 0.20 USD');
    expect(problems[1]?.message).toContain('you would pay twice.');
  });
});
