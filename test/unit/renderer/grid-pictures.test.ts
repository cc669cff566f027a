import { describe, expect, test } from 'vitest';
import { GridPictures, PICTURES_KEPT } from '../../../src/renderer/batch/grid/grid-pictures.ts';
import { ManualSchedule, settle } from './manual-schedule.ts';

/** A grid whose pictures come when the test says so. */
function scene() {
  const schedule = new ManualSchedule();
  const asked: { readonly fileId: string; readonly answer: (picture: ImageBitmap | undefined) => void }[] = [];
  const told: (readonly string[])[] = [];
  const loaded: string[] = [];
  const pictures = new GridPictures({
    load: (fileId) => new Promise((answer) => asked.push({ fileId, answer })),
    tellInSight: (fileIds) => told.push(fileIds),
    schedule: schedule.schedule,
    onLoaded: (fileId) => loaded.push(fileId),
  });
  const answerAll = async (picture: () => ImageBitmap | undefined = () => newPicture()): Promise<void> => {
    for (const { answer } of asked.splice(0)) answer(picture());
    await settle();
  };
  return { pictures, schedule, asked, told, loaded, answerAll };
}

function newPicture(close: () => unknown = () => undefined): ImageBitmap {
  return { width: 46, height: 28, close: () => void close() };
}

describe('small pictures in the grid', () => {
  test('are asked for of rows that stay in sight, and of none that fly past', () => {
    const { pictures, schedule, asked, told } = scene();
    for (let row = 0; row < 50; row += 1) pictures.want([`file ${row}`]);
    expect(asked).toEqual([]);
    schedule.runAll();
    expect(asked.map(({ fileId }) => fileId)).toEqual(['file 49']);
    expect(told).toEqual([['file 49']]);
    // Drawing asks for nothing.
    expect(pictures.of('file 3')).toBeUndefined();
    expect(asked).toHaveLength(1);
  });

  test('come a few at a time, in the order in which they are seen, and each once', async () => {
    const { pictures, schedule, asked, loaded, answerAll } = scene();
    const files = Array.from({ length: 10 }, (_, row) => `file ${row}`);
    pictures.want(files);
    schedule.runAll();
    expect(asked.map(({ fileId }) => fileId)).toEqual(files.slice(0, 4));
    while (asked.length > 0) await answerAll();
    expect(loaded).toEqual(files);
    expect(pictures.of('file 9')).toBeDefined();
    pictures.want([]);
    pictures.want(files);
    schedule.runAll();
    expect(asked).toEqual([]);
  });

  test('of a file that has none are not asked for again, unless it was only out of sight', async () => {
    const { pictures, schedule, asked, answerAll } = scene();
    const look = (fileId: string): void => {
      pictures.want([fileId]);
      schedule.runAll();
    };
    look('none');
    await answerAll(() => undefined);
    look('gone by');
    // The application drops what is out of sight, and answers that there is nothing.
    look('next');
    await answerAll(() => undefined);
    look('none');
    expect(asked).toEqual([]);
    look('gone by');
    expect(asked.map(({ fileId }) => fileId)).toEqual(['gone by']);
  });

  test('are forgotten from the earliest on, and given back to the system', async () => {
    const { pictures, schedule, asked, answerAll } = scene();
    const closed: number[] = [];
    const files = Array.from({ length: PICTURES_KEPT + 1 }, (_, row) => `file ${row}`);
    for (const [number, file] of files.entries()) {
      pictures.want([file]);
      schedule.runAll();
      await answerAll(() => newPicture(() => closed.push(number)));
    }
    expect(asked).toEqual([]);
    expect(pictures.of('file 0')).toBeUndefined();
    expect(closed).toEqual([0]);
    expect(pictures.of('file 1')).toBeDefined();
    pictures.close();
    expect(closed).toHaveLength(files.length);
  });
});
