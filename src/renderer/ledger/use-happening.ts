import { useEffect, useState } from 'react';
import type { RouteName, RouteInput, RouteOutput } from '../../shared/ipc/contract.ts';
import type { RouteArguments } from '../ipc-client.ts';
import { useAppModel } from '../state/app-context.ts';
import { PacedAsking } from '../state/paced-asking.ts';

/** The answer to a question that is asked again while things happen; undefined until there is one, or if it fails. */
export function useHappening<R extends RouteName>(route: R, input: RouteInput<R>): RouteOutput<R> | undefined {
  const model = useAppModel();
  const [answer, setAnswer] = useState<RouteOutput<R>>();
  const asked = JSON.stringify({ input });
  useEffect(() => {
    let isCurrent = true;
    const { input: wanted } = JSON.parse(asked) as { readonly input: RouteInput<R> };
    const asking = new PacedAsking(
      async () => {
        const reply = await model.client.request(route, ...([wanted] as RouteArguments<R>));
        if (isCurrent) setAnswer(reply.ok ? reply.value : undefined);
      },
      { now: () => performance.now(), schedule },
    );
    const unsubscribe = model.batches.store.subscribe(() => asking.changed());
    return () => {
      isCurrent = false;
      unsubscribe();
      asking.stop();
    };
  }, [model, route, asked]);
  return answer;
}

function schedule(callback: () => void, delayMs: number): () => void {
  const timer = setTimeout(callback, delayMs);
  return () => clearTimeout(timer);
}
