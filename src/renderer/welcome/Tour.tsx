import { useEffect, useLayoutEffect, useRef, type FocusEvent, type RefObject } from 'react';
import { useStore } from 'zustand';
import { words } from '../../shared/words/words.ts';
import { Button } from '../design/Button.tsx';
import { joinClasses } from '../design/join-classes.ts';
import { focusRegion, TAKES_TEXT, useWindowEvent } from '../shell/keyboard.ts';
import { useApp, useAppModel, useBatches } from '../state/app-context.ts';
import { isShared } from '../state/app-state.ts';
import {
  dueStep,
  hasFallen,
  hintPosition,
  TOUR_STEPS,
  tourFacts,
  type TourFacts,
  type TourStep,
} from '../state/tour.ts';
import styles from './Tour.module.css';

/** The hints of the tour, while somebody is being shown around. */
export function TourHints() {
  const isUnderWay = useStore(useAppModel().tour.store, ({ at }) => at === 'underWay');
  return isUnderWay && <Hints />;
}

function Hints() {
  const { tour } = useAppModel();
  const facts = useTourFacts();
  const passed = useStore(tour.store, (state) => state.passed);
  const due = dueStep(facts, passed);
  useEffect(() => tour.see(facts));
  const text = due === undefined ? '' : textOf(due, facts);
  return (
    <>
      {/* Rendered while it is still empty: a screen reader announces only what changes. */}
      <output className="visually-hidden">{text !== '' && words.home.tour.spoken(text)}</output>
      {due !== undefined && <Hint step={due} text={text} />}
    </>
  );
}

function useTourFacts(): TourFacts {
  const model = useAppModel();
  const screen = useStore(model.navigation, (state) => state.screen);
  const open = useStore(model.bringIn.store, (state) => state.open);
  const isReviewing = useStore(model.review.store, (state) => state.batchId !== undefined);
  const batchId = useStore(model.tour.store, (state) => state.batchId);
  return tourFacts({ screen, open, isReviewing, batches: useBatches() }, batchId);
}

function textOf(step: TourStep, { batch }: TourFacts): string {
  const { hints } = words.home.tour;
  return step === 'fallen' ? hints.fallen(hasFallen(batch)) : hints[step];
}

interface HintProps {
  readonly step: TourStep;
  readonly text: string;
}

/** One hint beside its place: what is below it takes clicks as before, and it never takes the focus by itself. */
function Hint({ step, text }: HintProps) {
  const { tour, notices } = useAppModel();
  const said = words.home.tour;
  const at = TOUR_STEPS.indexOf(step) + 1;
  const isLast = at === TOUR_STEPS.length;
  const { box, onFocus } = useBorrowedFocus();
  usePointedAt(step, box);
  const leave = (): void => {
    tour.leave();
    notices.show({ level: 'info', title: said.left, message: said.leftAbout });
  };
  useEscape(leave);
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- it notes where the focus of its buttons came from
    <aside
      ref={box}
      className={joinClasses('stack', styles.hint)}
      data-step={step}
      data-region="hint"
      data-testid="tour-hint"
      aria-label={said.label(at, TOUR_STEPS.length)}
      onFocus={onFocus}
    >
      <p>{text}</p>
      <div className="row">
        <Button size="small" onClick={() => tour.pass(step)}>
          {isLast ? said.end : said.next}
        </Button>
        {!isLast && (
          <Button size="small" look="quiet" onClick={leave}>
            {said.leave}
          </Button>
        )}
        <span className={joinClasses('faint tabular', styles.count)} aria-hidden>
          {said.count(at, TOUR_STEPS.length)}
        </span>
      </div>
    </aside>
  );
}

/** Marks the place that the hint is about, by its name, brings it into view, and keeps the hint beside it. */
function usePointedAt(step: TourStep, box: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const { dataset } = document.documentElement;
    dataset['hint'] = step;
    const bringIntoView = (): void => placeOf(step)?.scrollIntoView({ block: 'nearest' });
    const follow = (): void => {
      const [hint, place] = [box.current, placeOf(step)];
      if (hint === null || place === null) return;
      const { left, top } = hintPosition(step, place.getBoundingClientRect(), hint.getBoundingClientRect(), {
        width: window.innerWidth,
        height: window.innerHeight,
      });
      Object.assign(hint.style, { left: `${left}px`, top: `${top}px` });
    };
    const change = new ResizeObserver(follow);
    if (box.current !== null) change.observe(box.current);
    // When it moves, something around it has become larger or smaller.
    for (let one = placeOf(step); one !== null; one = one.parentElement) change.observe(one);
    const listening = new AbortController();
    const { signal } = listening;
    window.addEventListener('scroll', follow, { capture: true, passive: true, signal });
    window.addEventListener('resize', bringIntoView, { signal });
    bringIntoView();
    follow();
    return () => {
      listening.abort();
      change.disconnect();
      delete dataset['hint'];
    };
  }, [step, box]);
}

function placeOf(step: TourStep): HTMLElement | null {
  return document.querySelector<HTMLElement>(`[data-tour~="${step}"]`);
}

/** Calls back on Escape, unless something else has answered it: a dialog, a menu, the grid, what is being typed. */
function useEscape(onEscape: () => void): void {
  useWindowEvent(['keydown'], (event) => {
    const { key, target } = event;
    const isTyping = target instanceof Element && target.closest(TAKES_TEXT) !== null;
    const isInDialog = document.querySelector('[role="dialog"], [role="alertdialog"]') !== null;
    if (key !== 'Escape' || isTyping || isInDialog) return;
    // Listeners of screens that came later are called later.
    setTimeout(() => {
      if (!event.defaultPrevented) onEscape();
    });
  });
}

/** Gives the focus back to where it came from when the element that has it disappears. */
function useBorrowedFocus() {
  const box = useRef<HTMLElement>(null);
  const cameFrom = useRef<EventTarget>(null);
  useLayoutEffect(() => {
    const hint = box.current;
    return () => {
      if (hint?.contains(document.activeElement) !== true) return;
      if (cameFrom.current instanceof HTMLElement && cameFrom.current.isConnected) cameFrom.current.focus();
      else focusRegion('screen');
    };
  }, []);
  const onFocus = ({ currentTarget, relatedTarget }: FocusEvent<HTMLElement>): void => {
    if (!currentTarget.contains(relatedTarget)) cameFrom.current = relatedTarget;
  };
  return { box, onFocus };
}

/** Leads to the choice of a rehearsal, and from there through the tour; shows nothing if there are no rehearsals. */
export function TourButton() {
  const model = useAppModel();
  const isOnServer = useApp(isShared);
  if (isOnServer) return null;
  const begin = (): void => {
    model.tour.begin();
    model.go({ kind: 'welcome', page: 'rehearse' });
  };
  return <Button onClick={begin}>{words.home.tour.offer}</Button>;
}
