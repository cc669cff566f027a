import { Braces, Clapperboard, Image, Music, type LucideIcon } from 'lucide-react';
import type { OutputKind } from '../../shared/domain/operations/operations.ts';

const ICONS: Readonly<Record<OutputKind, LucideIcon>> = {
  music: Music,
  video: Clapperboard,
  image: Image,
  data: Braces,
};

/** The drawing of a kind of output; decoration beside its word. */
export function OutputIcon({ kind, size = 16 }: { readonly kind: OutputKind; readonly size?: number }) {
  const Icon = ICONS[kind];
  return <Icon size={size} strokeWidth={1.6} aria-hidden />;
}
