import { expect, test } from 'vitest';
import { layOutColumns } from '../../../../src/shared/domain/sheet/sheet-columns.ts';
import { fillVariables, namesInCells } from '../../../../src/shared/domain/sheet/sheet-names.ts';
import { rawSheet } from '../../../support/sheet-files.ts';

const HEADERS = ['row', 'operation', 'prompt', 'title', 'mood', 'note'];

function names(lines: readonly (readonly string[])[], mapping = {}) {
  const raw = rawSheet([HEADERS, ...lines]);
  return namesInCells(raw, layOutColumns(raw.headers, mapping), () => 'musicgen/music/generate');
}

test('names in braces that no column has are variables; columns, references, escapes and JSON are none', () => {
  const prompt = '{place} {mood} {row} {{a.taskId}} \\{no} {"a": {b}} {3}';
  expect(names([['a', 'music', prompt, '{place} {Singer}', 'calm', '{unsent}']]).variables).toEqual([
    'place',
    'Singer',
  ]);
});

test('lists are named once, in their order, and only where the cell is sent', () => {
  const lines = [
    ['a', 'music', '__owls__ and __foxes__', '__owls__', '__mine__', '__mine__'],
    ['b', 'music', '\\__not__', '', '', ''],
  ];
  expect(names(lines).lists).toEqual(['owls', 'foxes']);
});

test('rows that all combinations would make are counted', () => {
  const lines = [
    ['a', 'music', '{x|y} and {1|2|3}', '{p|q}', '{not|sent}', ''],
    ['b', 'music', 'plain', '', '', ''],
  ];
  expect(names(lines)).toMatchObject({ choiceCells: 2, expandedRows: 13 });
});

test('only what the row’s operation sends counts', () => {
  const raw = rawSheet([HEADERS, ['a', 'image', '{x|y}', '{p|q}', '', '']]);
  const layout = layOutColumns(raw.headers);
  expect(namesInCells(raw, layout, () => 'videogen-b/image/generate').expandedRows).toBe(2);
  expect(namesInCells(raw, layout).expandedRows).toBe(4);
});

test('the values of variables are put into cells that are sent, and nothing else is', () => {
  const layout = layOutColumns(['row', 'prompt', 'title', 'mine'], {});
  const fill = fillVariables(layout, { town: 'Bern {row}', title: 'no column' });
  const text = 'An owl in {Town}, {title}, {other}, {{a.taskId}}, {red|green}, __birds__, \\{town}';
  expect(fill(text, 1)).toBe(text.replace('{Town}', 'Bern {row}'));
  expect(fill('An owl in {town}', 3)).toBe('An owl in {town}');
  expect(fillVariables(layout, {})('An owl in {town}', 1)).toBe('An owl in {town}');
});
