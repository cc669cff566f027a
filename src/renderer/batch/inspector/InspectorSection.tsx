import type { ReactNode } from 'react';
import inspector from './Inspector.module.css';

/** Text as it is sent or was received, line by line. */
export function CodeBox({ children }: { readonly children: ReactNode }) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a box that scrolls must be reachable by keyboard
    <pre className={inspector.code} tabIndex={0}>
      {children}
    </pre>
  );
}
