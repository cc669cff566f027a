import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rawSheetOfTable, readClipboardTable } from '../../../../src/engine/sheet-files/clipboard/read-clipboard.ts';
import { writeClipboardTable } from '../../../../src/engine/sheet-files/clipboard/write-clipboard.ts';

const fromHtml = (html: string): readonly (readonly string[])[] => readClipboardTable({ html, text: '' });
const fromText = (text: string): readonly (readonly string[])[] => readClipboardTable({ html: '', text });
/** The one cell of a table. */
const cell = (inside: string, attributes = ''): string | undefined =>
  fromHtml(`<table><tr><td ${attributes}>${inside}</td></tr></table>`)[0]?.[0];

describe('what the programs put into the clipboard', () => {
  test('Excel: wrapped lines, spaces that count, merged cells, a last row for the widths', () => {
    const html = `<html xmlns:x="urn:schemas-microsoft-com:office:excel"><head><meta name=Generator content="Microsoft Excel 15">
<style>
<!--table {mso-displayed-decimal-separator:"\\,";}
td {mso-ignore:padding; white-space:nowrap;}
br {mso-data-placement:same-cell;} -->
</style></head><body link="#0563C1">
<table border=0 cellpadding=0 cellspacing=0 width=192 style='border-collapse:collapse'>
<!--StartFragment-->
 <col width=64 span=3 style='width:48pt'>
 <tr height=20 style='height:15.0pt'>
  <td height=20 width=64 style='height:15.0pt;width:48pt'>prompt</td>
  <td colspan=2 class=xl65 width=128>both<span style='mso-spacerun:yes'>   </span>columns</td>
 </tr>
 <tr height=40>
  <td rowspan=2 class=xl65>a long text
  that Excel wraps<br>
    and a second line</td>
  <td align=right>1,5</td>
  <td class=xl66>&lt;b&gt; &amp; &quot;c&quot;</td>
 </tr>
 <tr><td></td><td>last</td></tr>
 <![if supportMisalignedColumns]>
 <tr height=0 style='display:none'><td width=64 style='width:48pt'></td><td></td><td></td></tr>
 <![endif]>
<!--EndFragment-->
</table></body></html>`;
    const table = [
      ['prompt', 'both   columns', ''],
      ['a long text that Excel wraps\nand a second line', '1,5', '<b> & "c"'],
      ['', '', 'last'],
    ];
    expect(fromHtml(html)).toEqual(table);
    // Windows marks what is between the comments as the copied part, and that is what a program is given.
    const fragment = html.slice(html.indexOf('<!--StartFragment-->'), html.indexOf('<!--EndFragment-->'));
    expect(fromHtml(fragment)).toEqual(table);
  });

  test('LibreOffice: empty cells, breaks, its own notes on values', () => {
    const html = `<!DOCTYPE html><html><head><style type="text/css">body,table,td { font-family:"Liberation Sans" } comment { display:none;  }</style></head>
<body><table cellspacing="0" border="0">
\t<colgroup span="3" width="85"></colgroup>
\t<tr>
\t\t<td height="17" align="left">row</td>
\t\t<td align="left"><br></td>
\t\t<td align="left" sdnum="1033;0;@">007</td>
\t</tr>
\t<tr><td height="32" align="left" valign=bottom>first<br>second</td><td align="right" sdval="0.5" sdnum="1033;0;0%">50%</td><td><font face="Noto">夜の港</font><comment>not this</comment></td></tr>
</table></body></html>`;
    expect(fromHtml(html)).toEqual([
      ['row', '', '007'],
      ['first\nsecond', '50%', '夜の港'],
    ]);
  });

  test('Google Sheets: its own value is exact where it says what is seen', () => {
    const value = (text: string): string => JSON.stringify({ 1: 2, 2: text }).replaceAll('"', '&quot;');
    const html = `<meta charset='utf-8'><google-sheets-html-origin><style type="text/css"><!--td {border: 1px solid #cccccc;}br {mso-data-placement:same-cell;}--></style><table xmlns="http://www.w3.org/1999/xhtml" dir="ltr" data-sheets-root="1"><colgroup><col width="100"/></colgroup><tbody><tr style="height:21px;"><td data-sheets-value="${value('  two  spaces\nand a tab\t')}">two spaces<br/>and a tab</td><td data-sheets-value="{&quot;1&quot;:3,&quot;3&quot;:46082}" data-sheets-numberformat="{&quot;1&quot;:5}">2026-03-01</td><td data-sheets-value="{&quot;1&quot;:4,&quot;4&quot;:1}">TRUE</td></tr><tr><td data-sheets-value="${value('render ten thousand')}">seen</td><td data-sheets-value="no JSON">kept</td><td></td></tr></tbody></table>`;
    expect(fromHtml(html)).toEqual([
      ['  two  spaces\nand a tab\t', '2026-03-01', 'TRUE'],
      ['seen', 'kept', ''],
    ]);
  });

  test('the text of the clipboard gives the blanks that HTML has lost, and nothing else', () => {
    const html = '<table><tr><td>a b</td><td>c</td></tr></table>';
    expect(readClipboardTable({ html, text: '" a\tb\n"\tother\n' })).toEqual([[' a\tb\n', 'c']]);
    expect(readClipboardTable({ html, text: 'a  b\tc\nd' })).toEqual([['a b', 'c']]);
  });

  test.each([
    [
      'lines and tabs',
      'a\tb\r\nc\td\r\n',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    [
      'CR of old programs',
      'a\tb\rc\td',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    ['quotes around tabs, line ends and quotes', 'a\t"b\tc\r\nsaid ""d"""\r\n', [['a', 'b\tc\nsaid "d"']]],
    ['quotes that LibreOffice leaves alone', '"a"\t"b" c\t5" disc', [['"a"', '"b" c', '5" disc']]],
    [
      'lines of different length',
      'a\nb\tc',
      [
        ['a', ''],
        ['b', 'c'],
      ],
    ],
    ['blank lines', 'a\n\n\n', [['a'], [''], ['']]],
    ['a single line end', '\n', [['']]],
    ['nothing', '', []],
  ])('text: %s', (_name, text, table) => {
    expect(fromText(text)).toEqual(table);
  });
});

describe('HTML as a browser shows it', () => {
  test.each([
    ['paragraphs', '<p>a</p>\n<p>b</p>', 'a\nb'],
    ['an empty paragraph', '<p>a</p><p><br></p><p>b</p>', 'a\n\nb'],
    ['a break at the end of a paragraph', '<div>a<br></div><div>b</div>', 'a\nb'],
    ['blanks around breaks', '  a  <br>\n   b  ', 'a\nb'],
    ['blanks between elements', '<b>a</b> <i>b</i>\n<u> c</u>', 'a b c'],
    ['kept blanks', '<span style="white-space: pre-wrap">  a\n b</span>', '  a\n b'],
    ['preformatted text', '<pre>a  b</pre>', 'a  b'],
    ['non-breaking blanks between words', '10&nbsp;km &laquo;&nbsp;x&nbsp;&raquo;', '10\u00A0km «\u00A0x\u00A0»'],
    ['non-breaking blanks that stand for blanks', '&nbsp;&nbsp;a &nbsp;b&nbsp;', '  a  b '],
    ['a cell that is kept open', '&nbsp;', ''],
    ['references', '&#x1F319;&#65;&eacute;&lt;x&gt;&unknown;', '🌙Aé<x>&unknown;'],
    ['styles and scripts', 'a<style>td{}</style><script>alert("<td>x</td>")</script><template>t</template>b', 'ab'],
    ['a table within', 'a<table><tr><td>b</td><td>c</td></tr><tr><td>d</td></tr></table>e', 'a\nb c\nd\ne'],
    ['lists', '<ul><li>a<li>b</ul>', 'a\nb'],
  ])('%s', (_name, inside, text) => {
    expect(cell(inside)).toBe(text);
  });

  test('the first table counts; what is around it does not', () => {
    const html =
      '<p>before</p><table><thead><tr><th>a</th></tr></thead><tbody><tr></tr><tr><td>b</td></tr></tbody></table>between<table><tr><td>c</td></tr></table>';
    expect(fromHtml(html)).toEqual([['a'], ['b']]);
  });

  test('cells over several rows and columns cover blank ones', () => {
    const html =
      '<table><tr><td rowspan=3>a</td><td colspan=2 rowspan=2>b</td><td>c</td></tr><tr><td>d</td></tr><tr><td>e</td><td>f</td><td>g</td></tr><tr><td>h</td></tr></table>';
    expect(fromHtml(html)).toEqual([
      ['a', 'b', '', 'c'],
      ['', '', '', 'd'],
      ['', 'e', 'f', 'g'],
      ['h', '', '', ''],
    ]);
  });

  test('HTML without a table gives way to the text', () => {
    expect(readClipboardTable({ html: '<span>a b</span>', text: 'a\tb' })).toEqual([['a', 'b']]);
  });
});

describe('a hostile clipboard', () => {
  test.each([
    ['elements in elements', `<table><tr><td>${'<b>'.repeat(5_000_000)}x</td></tr></table>`],
    ['tables in tables', '<table><tr><td>'.repeat(300_000)],
    ['cells over many columns', `<table>${'<tr><td colspan=1000>x</td></tr>'.repeat(100_000)}</table>`],
    ['more rows than a sheet has', `<table>${'<tr><td>x'.repeat(1_100_000)}</table>`],
  ])(
    '%s are no table',
    (_name, html) => {
      expect(readClipboardTable({ html, text: 'the text' })).toEqual([['the text']]);
    },
    60_000,
  );

  test('a cell of very many pieces is taken piece by piece, not from its start for each', () => {
    const pieces = '<b>a</b> '.repeat(100_000);
    expect(cell(pieces)).toBe('a '.repeat(100_000).trim());
  });

  test('a cell over more rows than there are does not make them', () => {
    expect(fromHtml('<table><tr><td rowspan=65534>a</td><td rowspan="-1" colspan="x">b</td></tr></table>')).toEqual([
      ['a', 'b'],
    ]);
  });

  test('whatever it is, it is lines of one length', () => {
    const marks =
      '<table> </table> <tr> </tr> <td> <td_colspan=3> <td_rowspan=2> </td> <p> </p> <br> x &nbsp; <!-- --> <style> </style> " < &';
    const piece = fc.constantFrom(...marks.split(' ').map((mark) => mark.replace('_', ' ')), ' ', '\t', '\n');
    fc.assert(
      fc.property(
        fc.array(piece).map((all) => all.join('')),
        fc.string(),
        (html, text) => {
          const table = readClipboardTable({ html, text });
          expect(new Set(table.map((cells) => cells.length)).size).toBeLessThanOrEqual(1);
          expect(table.flat().every((one) => typeof one === 'string')).toBe(true);
        },
      ),
    );
  });
});

describe('and back', () => {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.string({
      unit: fc.constantFrom('a', '1', ' ', '\n', '\t', '"', "'", '=', '&', '<', '>', '|', '\u00A0', ';', '{'),
    }),
    fc.constantFrom('007', '1e5', '=1+1', '+x', '-3', '@cmd', '2026-03-01', 'true', '', '""', '"a"', 'a\n', '\n', '  '),
    fc.double().map(String),
  );
  const table = fc
    .integer({ min: 1, max: 5 })
    .chain((width) => fc.array(fc.array(text, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 5 }));

  test('a table comes back from HTML, from text and from both as it was', () => {
    fc.assert(
      fc.property(table, (cells) => {
        const { html, text: tabbed } = writeClipboardTable(cells);
        expect(readClipboardTable({ html, text: tabbed })).toEqual(cells);
        expect(fromHtml(html)).toEqual(cells);
        // Of a single blank cell there is no text.
        if (tabbed !== '') expect(fromText(tabbed)).toEqual(cells);
      }),
      { numRuns: 500 },
    );
  });

  test('texts are marked as texts, numbers are not; nothing of a cell is markup', () => {
    const { html, text: tabbed } = writeClipboardTable([
      ['=cmd|"/c calc"!A1', '7.5', '0007', '<img onerror=x>', 'a\nb'],
    ]);
    expect(html).toContain('td{mso-number-format:"\\@"}');
    expect(html).toContain('<td class="n">7.5</td>');
    expect(html).toContain(
      '<td sdnum="1033;0;@" data-sheets-value="{&quot;1&quot;:2,&quot;2&quot;:&quot;0007&quot;}">0007</td>',
    );
    expect(html).toMatch(/sdnum="1033;0;@" data-sheets-value="[^"]*">=cmd\|&quot;\/c calc&quot;!A1/);
    expect(html).toContain('&lt;img onerror=x&gt;');
    expect(html).toContain('a<br>b');
    expect(tabbed).toBe('"=cmd|""/c calc""!A1"\t7.5\t0007\t<img onerror=x>\t"a\nb"\n');
  });

  test('a single cell is a text without a line end', () => {
    expect(writeClipboardTable([['a prompt']]).text).toBe('a prompt');
  });
});

describe('a table as a sheet', () => {
  test('the first line with a cell is the header', () => {
    const sheet = rawSheetOfTable(
      [
        ['', ''],
        ['operation', 'prompt'],
        ['', ' '],
        ['lyrics', 'x'],
      ],
      'Clipboard',
    );
    expect(sheet).toMatchObject({
      ok: true,
      value: {
        headers: ['operation', 'prompt'],
        records: [{ line: 4, cells: ['lyrics', 'x'] }],
        source: { format: 'clipboard', sheet: 'Clipboard', bytes: 31 },
      },
    });
    expect(sheet.ok && sheet.value.source.sha256).toMatch(/^[\da-f]{64}$/);
  });

  test('nothing, and too much, are refused', () => {
    expect(rawSheetOfTable([], 'x')).toMatchObject({ ok: false, error: { code: 'empty' } });
    const wide = Array.from({ length: 600 }, (_, index) => `c${index}`);
    expect(rawSheetOfTable([wide, wide], 'x')).toMatchObject({ ok: false, error: { code: 'too-large' } });
  });
});
