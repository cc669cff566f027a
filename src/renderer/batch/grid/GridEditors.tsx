import { useEffect, useState } from 'react';
import { CellEditor, type Step } from '../cell-editor/CellEditor.tsx';
import { columnHelp } from '../cell-editor/column-help.ts';
import { LargeEditor } from '../cell-editor/LargeEditor.tsx';
import { shownLine } from '../../format/shown-text.ts';
import { words } from '../../../shared/words/words.ts';
import { useAppModel } from '../../state/app-context.ts';
import type { CellEditing, EditedCell } from './use-cell-editing.ts';
import type { GridActions } from '../keys/use-grid-actions.ts';
import type { Grid } from './use-grid.ts';

interface GridEditorsProps {
  readonly grid: Grid;
  readonly actions: GridActions;
  readonly editing: CellEditing;
}

/** The editor of the current cell, in its place or large. */
export function GridEditors({ grid, actions, editing }: GridEditorsProps) {
  const model = useAppModel();
  const { edited } = editing;
  if (edited === undefined) return null;
  const { header, view } = edited.sheet;
  const name = words.grid.cell(shownLine(edited.row), shownLine(header));
  const commit = (text: string, step: Step): void => {
    editing.end();
    const place = edited.key === undefined ? model.editing.typed.placeOfNewRow(edited.index) : undefined;
    if (text !== edited.saved) keepUnlessWritten(actions.write(edited, edited.sheet, text), text);
    actions.step(step, place);
  };
  const keepUnlessWritten = (writing: Promise<boolean>, text: string): void =>
    void writing.then((isWritten) => (isWritten ? undefined : editing.keep(edited, text)));
  if (edited.isLarge) {
    return (
      <LargeEditor
        title={name}
        help={columnHelp(view.column)?.help ?? words.grid.editor.columnNotSent}
        text={edited.text}
        savedText={edited.saved}
        locked={edited.locked}
        onCommit={(text) => commit(text, 'stay')}
        onClose={editing.end}
      />
    );
  }
  return (
    <PlacedEditor
      grid={grid}
      edited={edited}
      editing={editing}
      name={name}
      onCommit={commit}
      onCommitAll={(text) => {
        editing.end();
        const { chosen, sheet } = edited;
        // Below the last row there is only the new row.
        const writing = chosen.length > 0 ? actions.writeAll(chosen, text) : actions.write(edited, sheet, text);
        keepUnlessWritten(writing, text);
      }}
    />
  );
}

interface PlacedEditorProps {
  readonly grid: Grid;
  readonly edited: EditedCell;
  readonly editing: CellEditing;
  readonly name: string;
  readonly onCommit: (text: string, step: Step) => void;
  readonly onCommitAll: (text: string) => void;
}

/** Stays over its cell, even while the grid scrolls. */
function PlacedEditor({ grid, edited, editing, name, onCommit, onCommitAll }: PlacedEditorProps) {
  const column = grid.columns.findIndex(({ sheet }) => sheet?.header === edited.sheet.header);
  const { editor } = grid;
  const { pages } = useAppModel().rows;
  // It may be opened again, with a text that was not written, for a row that has left the view: it is then at the
  // header.
  const [bounds, setBounds] = useState(
    () => editor.current?.getBounds(column, edited.index) ?? editor.current?.getBounds(column),
  );
  const [isAway, setAway] = useState(false);
  useEffect(() => {
    // First scrolls to a cell that is out of sight.
    editor.current?.scrollTo(column, edited.index);
    let frame = requestAnimationFrame(function follow() {
      // Rows come and go above it during the night.
      const place = edited.key === undefined ? edited.index : pages.placeOf(edited.key);
      setAway(place === undefined);
      const now = place === undefined ? undefined : editor.current?.getBounds(column, place);
      setBounds((before) => (now === undefined || isSame(before, now) ? before : now));
      frame = requestAnimationFrame(follow);
    });
    return () => cancelAnimationFrame(frame);
  }, [editor, pages, column, edited.key, edited.index]);
  if (bounds === undefined) return null;
  return (
    <CellEditor
      bounds={bounds}
      label={name}
      text={edited.text ?? ''}
      isTyping={edited.isTyping}
      sources={editing.sources}
      note={isAway ? words.grid.editor.rowAway(shownLine(edited.row)) : undefined}
      onCommit={onCommit}
      onCommitAll={onCommitAll}
      onCancel={editing.end}
      onEnlarge={editing.enlarge}
    />
  );
}

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

function isSame(a: Box | undefined, b: Box): boolean {
  return a?.x === b.x && a.y === b.y && a.width === b.width && a.height === b.height;
}
