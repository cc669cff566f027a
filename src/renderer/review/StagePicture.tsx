import { useRef, useState } from 'react';
import type { FileView } from '../../shared/ipc/rows.ts';
import { words } from '../../shared/words/words.ts';
import { shownLine } from '../format/shown-text.ts';
import { MediaView } from '../player/MediaView.tsx';
import { useWindowEvent } from '../shell/keyboard.ts';
import { sightOf } from './stage-elements.ts';
import { dragBy, zoomBy, type Zoom } from './zoom.ts';
import styles from './StagePicture.module.css';

interface StagePictureProps {
  readonly file: FileView;
  /** It can be zoomed into: it is the only one. */
  readonly isLarge: boolean;
  /** Undefined: all of it is shown, as large as fits. */
  readonly zoom: Zoom | undefined;
  readonly onZoom: (change: (before: Zoom | undefined) => Zoom | undefined) => void;
  readonly onChoose: () => void;
}

/** How far the wheel must turn, in CSS pixels, to make the picture e times larger: a notch is about a quarter. */
const WHEEL_PER_E = 450;

/** A picture of the stage: alone, the wheel zooms into it around the pointer, and it can be dragged. */
export function StagePicture({ file, isLarge, zoom, onZoom, onChoose }: StagePictureProps) {
  const [size, setSize] = useState({ width: 0, height: 0 });
  const [ratio, setRatio] = useState(devicePixelRatio);
  const drag = useRef<{ readonly x: number; readonly y: number }>(undefined);
  // Also when the window moves to a screen with another pixel ratio.
  useWindowEvent(['resize'], () => setRatio(devicePixelRatio));
  return (
    <button
      type="button"
      tabIndex={-1}
      className={styles.picture}
      aria-label={words.review.stage.choose(shownLine(file.name))}
      data-zoomed={zoom !== undefined}
      data-pixels={zoom !== undefined && zoom.scale > 1}
      onClick={({ currentTarget }) => {
        onChoose();
        // The keys stay with the review.
        if (isLarge) currentTarget.closest<HTMLElement>('[role="dialog"]')?.focus();
      }}
      onLoadCapture={({ target }) => {
        if (target instanceof HTMLImageElement) setSize({ width: target.naturalWidth, height: target.naturalHeight });
      }}
      onMouseDown={(event) => {
        // The picture is moved, not dragged out of the window.
        if (zoom !== undefined) event.preventDefault();
      }}
      onWheel={({ currentTarget, clientX, clientY, deltaY }) => {
        const sight = sightOf(currentTarget);
        if (!isLarge || sight === undefined) return;
        const { left, top, width, height } = currentTarget.getBoundingClientRect();
        const at = { x: (clientX - left - width / 2) * ratio, y: (clientY - top - height / 2) * ratio };
        onZoom((before) => zoomBy(before, sight, Math.exp(-deltaY / WHEEL_PER_E), at));
      }}
      onPointerDown={({ currentTarget, pointerId, clientX, clientY, button }) => {
        if (zoom === undefined || button !== 0) return;
        currentTarget.setPointerCapture(pointerId);
        drag.current = { x: clientX, y: clientY };
      }}
      onPointerMove={({ currentTarget, clientX, clientY }) => {
        const from = drag.current;
        const sight = sightOf(currentTarget);
        if (from === undefined || sight === undefined) return;
        drag.current = { x: clientX, y: clientY };
        const [right, down] = [(clientX - from.x) * ratio, (clientY - from.y) * ratio];
        onZoom((before) => before && dragBy(before, sight, right, down));
      }}
      onLostPointerCapture={() => (drag.current = undefined)}
    >
      <span style={zoom && geometryOf(zoom, size, ratio)}>
        <MediaView file={file} size="large" />
      </span>
    </button>
  );
}

/** Its size and place in CSS pixels: one pixel of the picture has `scale` device pixels, whatever the screen. */
function geometryOf({ scale, x, y }: Zoom, size: { readonly width: number; readonly height: number }, ratio: number) {
  const [width, height] = [(size.width * scale) / ratio, (size.height * scale) / ratio];
  return {
    width,
    height,
    left: `calc(50% - ${width * x}px)`,
    top: `calc(50% - ${height * y}px)`,
  };
}
