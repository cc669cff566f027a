// oxlint-disable jsx-a11y/prefer-tag-over-role -- a table cannot leave out the rows that nobody sees
import {
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
  type KeyboardEvent,
  type MouseEvent,
  type Ref,
} from 'react';
import { useStore } from 'zustand';
import { words } from '../../shared/words/words.ts';
import { nameOfKey } from '../review/review-keys.ts';
import { useAppModel } from '../state/app-context.ts';
import { layWall, rowsShown, scrolledTo, tileAfter, type RowsShown } from '../state/gallery/wall-layout.ts';
import { meantWith } from '../state/gallery/selection.ts';
import type { FileDecision } from '../state/review/file-decision.ts';
import { GalleryMenu } from './GalleryMenu.tsx';
import { GalleryTile } from './GalleryTile.tsx';
import styles from './GalleryScreen.module.css';

/** The time between requests for pictures while the wall is scrolled: none are asked for what only flies past. */
const PACE_MS = 100;

/** What a screen does with its wall. */
export interface WallHandle {
  /**
   * Brings a file's tile into sight and gives it the focus; without a file, the tile with the cursor gets it. Files
   * selected elsewhere are deselected.
   */
  focus: (fileId: string) => void;
}

interface GalleryWallProps {
  readonly batchId: string;
  readonly order: readonly string[];
  readonly handle: Ref<WallHandle>;
  /** Opens the file with the cursor large. */
  readonly onOpen: () => void;
}

/** A wall of tiles; only those in sight exist. */
export function GalleryWall({ batchId, order, handle, onOpen }: GalleryWallProps) {
  const model = useAppModel();
  const { gallery } = model;
  const files = useStore(gallery.store, (state) => state.files);
  const current = useStore(gallery.store, (state) => state.current);
  const selected = useStore(gallery.store, ({ selection }) => selection.ids);
  const place = useRef<HTMLDivElement>(null);
  const wantsFocus = useRef<string>(undefined);
  const [view, setView] = useState({ width: 0, height: 0 });
  const [top, setTop] = useState(0);
  const layout = layWall(view.width, order.length);
  const { columns, rowHeight } = layout;
  const shown = rowsShown(layout, top, view.height);
  const asked = usePaced(shown);
  const at = current === undefined ? -1 : order.indexOf(current);

  useLayoutEffect(() => {
    const wall = place.current;
    if (wall === null) return undefined;
    const watch = new ResizeObserver(() => setView({ width: contentWidth(wall), height: wall.clientHeight }));
    watch.observe(wall);
    return () => watch.disconnect();
  }, []);

  const showTile = (index: number): void => {
    const wall = place.current;
    if (wall === null || index < 0) return;
    const wanted = scrolledTo(layout, index, wall.scrollTop, wall.clientHeight);
    if (wanted !== wall.scrollTop) wall.scrollTop = wanted;
  };

  const takeFocus = (): void => {
    wantsFocus.current = undefined;
    place.current?.querySelector<HTMLElement>('[role="gridcell"][tabindex="0"]')?.focus({ preventScroll: true });
  };

  // With other files, or another number of columns, the tile with the cursor stays in sight.
  useLayoutEffect(() => {
    if (view.width > 0) showTile(at);
    // oxlint-disable-next-line react/exhaustive-deps -- not when the cursor moves: what moves it shows it
  }, [order, columns, view.width > 0]);

  // Only once it is drawn as the current one: an effect of an earlier drawing may still follow.
  useEffect(() => {
    if (wantsFocus.current !== undefined && wantsFocus.current === current) takeFocus();
  });

  useEffect(() => {
    // The rows beyond the upper edge are seen last.
    const above = Math.min(asked.end, Math.floor((place.current?.scrollTop ?? 0) / rowHeight));
    const ids = [
      ...order.slice(above * columns, asked.end * columns),
      ...order.slice(asked.first * columns, above * columns),
    ];
    gallery.want(ids);
  }, [gallery, order, asked, columns, rowHeight]);

  const goTo = (index: number): void => {
    const id = order[index];
    if (id === undefined) return;
    showTile(index);
    if (id === current) takeFocus();
    // Its tile may have to be drawn first.
    else wantsFocus.current = id;
    gallery.choose(id);
  };
  useImperativeHandle(handle, () => ({
    focus: (fileId) => {
      const index = order.indexOf(fileId);
      // A key would otherwise be about files that nobody looks at any more.
      if (index !== -1 && !selected.has(fileId)) gallery.selectNone();
      goTo(index === -1 ? at : index);
    },
  }));

  /** File managers show one file in one folder: of several, the first. */
  const showInFolder = (): void => {
    const [fileId] = current === undefined ? [] : meantWith(gallery.store.getState().selection, order, current);
    if (fileId !== undefined) void model.ask('file.showInFolder', { fileId });
  };
  /** On a file that is not selected, the menu is about that file alone. */
  const onContextMenu = (event: MouseEvent): void => {
    const tile = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-file]') : null;
    const id = tile?.dataset['file'];
    if (id === undefined) return;
    if (!gallery.store.getState().selection.ids.has(id)) gallery.selectNone();
    gallery.choose(id);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const isCommand = event.ctrlKey || event.metaKey;
    if (isCommand && event.key === ' ' && current !== undefined) gallery.select(current, 'toggle');
    else if (isCommand && nameOfKey(event) === 'a') gallery.selectAll();
    else if (!isCommand && !event.altKey) {
      onPlainKey(event);
      return;
    } else return;
    event.preventDefault();
  };
  const onPlainKey = (event: KeyboardEvent): void => {
    const decision = decisionOf(nameOfKey(event));
    if (event.key === 'Enter' || event.key === ' ') onOpen();
    else if (nameOfKey(event) === 'o') {
      // A key that is held down would open one window of the system after the other.
      if (!event.repeat) showInFolder();
    } else if (decision !== undefined) {
      // A key that is held down would take back what it said.
      if (!event.repeat) gallery.decide(decision);
    } else {
      const next = tileAfter(event.key, Math.max(0, at), order.length, layout, view.height);
      const id = next === undefined ? undefined : order[next];
      if (next === undefined || id === undefined) return;
      if (event.shiftKey) gallery.select(id, 'from');
      else gallery.selectNone();
      goTo(next);
    }
    event.preventDefault();
  };
  const onPress = (id: string, event: MouseEvent): void => {
    const isCommand = event.ctrlKey || event.metaKey;
    const isSelected = gallery.store.getState().selection.ids.has(id);
    if (event.button !== 0) return;
    if (event.type === 'mousedown' && (isCommand || event.shiftKey)) gallery.select(id, isCommand ? 'toggle' : 'from');
    // A press on a selected file may drag it with the others; only its release selects the file alone.
    else if (!isCommand && !event.shiftKey && (event.type === 'click' || !isSelected)) gallery.selectNone();
  };
  const rows = Array.from({ length: shown.end - shown.first }, (_, index) => shown.first + index);
  const rowWithCursor = Math.floor(at / columns);
  // The tile with the cursor keeps the focus, however far one scrolls.
  if (at >= 0 && !rows.includes(rowWithCursor)) rows.push(rowWithCursor);
  return (
    <GalleryMenu onOpen={onOpen} onShowInFolder={showInFolder}>
      <div
        ref={place}
        className={styles.wall}
        role="grid"
        tabIndex={-1}
        aria-label={words.gallery.files}
        aria-multiselectable
        aria-rowcount={layout.rows}
        data-region="grid"
        data-ready={view.width > 0 && at >= 0}
        onScroll={({ currentTarget }) => setTop(Math.floor(currentTarget.scrollTop / rowHeight) * rowHeight)}
        onKeyDown={onKeyDown}
        onContextMenu={onContextMenu}
      >
        <div style={{ height: layout.height }}>
          {rows.map((row) => (
            <div
              key={row}
              className={styles.line}
              role="row"
              aria-rowindex={row + 1}
              style={{
                transform: `translateY(${row * rowHeight}px)`,
                gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
              }}
            >
              {order.slice(row * columns, (row + 1) * columns).map((id) => (
                <GalleryTile
                  key={id}
                  fileId={id}
                  file={files.get(id)}
                  isCurrent={id === current}
                  isMeant={selected.size === 0 ? id === current : selected.has(id)}
                  isSelected={selected.has(id)}
                  isAsked={row >= asked.first && row < asked.end}
                  onChoose={() => gallery.choose(id)}
                  onPress={(event) => onPress(id, event)}
                  onDrag={() => {
                    const { selection, order: shown = [] } = gallery.store.getState();
                    void model.dragOut(batchId, meantWith(selection, shown, id));
                  }}
                  onOpen={onOpen}
                />
              ))}
            </div>
          ))}
        </div>
      </div>
    </GalleryMenu>
  );
}

/** What a key says about a file, as in the review. */
function decisionOf(name: string): FileDecision | undefined {
  if (/^[0-5]$/u.test(name)) return { kind: 'rate', rating: Number(name) };
  return name === 'k' ? { kind: 'keep' } : name === 'x' ? { kind: 'reject' } : undefined;
}

/** The same rows, no more often than the pace allows. */
function usePaced({ first, end }: RowsShown): RowsShown {
  const [paced, setPaced] = useState<RowsShown>({ first, end });
  const lastAt = useRef(-PACE_MS);
  useEffect(() => {
    const timer = setTimeout(
      () => {
        lastAt.current = performance.now();
        setPaced({ first, end });
      },
      Math.max(0, lastAt.current + PACE_MS - performance.now()),
    );
    return () => clearTimeout(timer);
  }, [first, end]);
  return paced;
}

function contentWidth(wall: HTMLElement): number {
  const { paddingLeft, paddingRight } = getComputedStyle(wall);
  return wall.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight);
}
