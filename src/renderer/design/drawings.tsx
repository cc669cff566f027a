import { Braces, Clapperboard, Image, type LucideIcon, Music } from 'lucide-react';
import type { OutputKind } from '../../shared/domain/operations/operations.ts';
import type { StatusLook } from './status-look.ts';

/** The mark: a fermata, the sign that holds a note, drawn as the moon above a lamp. */
export function Mark({ size = 24, isLit = false }: { readonly size?: number; readonly isLit?: boolean }) {
  return (
    <svg width={size} height={size} viewBox="0 0 24 24" aria-hidden>
      <path
        fill="var(--ink)"
        d="M1.6 16.9C2.2 9.9 6.5 5.2 12 5.2s9.8 4.7 10.4 11.7c.05.6-.75.85-1.03.32C19.3 13.2 16 11 12 11s-7.3 2.2-9.37 6.22c-.28.53-1.08.28-1.03-.32Z"
      />
      <circle cx="12" cy="16.9" r="2.35" fill="var(--lamp-fill)" className={isLit ? 'lit' : undefined} />
    </svg>
  );
}

const ICONS: Readonly<Record<OutputKind, LucideIcon>> = {
  music: Music,
  video: Clapperboard,
  image: Image,
  data: Braces,
};

/** The icon of a kind of output; decoration beside its word. */
export function OutputIcon({ kind, size = 16 }: { readonly kind: OutputKind; readonly size?: number }) {
  const Icon = ICONS[kind];
  return <Icon size={size} strokeWidth={1.6} aria-hidden />;
}

/** A status icon alone; its word must be beside it. */
export function StatusGlyph({ look, size = 14 }: { readonly look: StatusLook; readonly size?: number }) {
  const { glyph, color } = look;
  return (
    <svg
      className="glyph"
      width={size}
      height={size}
      viewBox="0 0 16 16"
      aria-hidden
      style={{ color: `var(${color})` }}
    >
      <path d={glyph} />
    </svg>
  );
}
