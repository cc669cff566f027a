/** What the page's policy asks of libraries. Import this first: before any schema is made and anything is drawn. */
import { config } from 'zod';

// The policy forbids code made of text, and schemas would try it once to see.
config({ jitless: true });

interface TrustedTypes {
  createPolicy(name: 'default', rules: { readonly createHTML: (text: string) => string | undefined }): unknown;
}

// It forbids markup made of text, too. A select of Radix sets the text of its own style element in that way: what has
// no `<` makes no element and passes, everything else throws.
const { trustedTypes } = globalThis as typeof globalThis & { readonly trustedTypes?: TrustedTypes };
trustedTypes?.createPolicy('default', { createHTML: (text) => (text.includes('<') ? undefined : text) });
