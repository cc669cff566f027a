/** Makes libraries obey the page's policy. Import this first: before any schema is made and anything is drawn. */
import { config } from 'zod';

// The policy forbids code made from text, and zod would try it once to find out.
config({ jitless: true });

interface TrustedTypes {
  createPolicy(name: 'default', rules: { readonly createHTML: (text: string) => string | undefined }): unknown;
}

// It also forbids markup made from text. Radix's select sets the text of its own style element that way: text without
// `<` makes no element and passes, everything else throws.
const { trustedTypes } = globalThis as typeof globalThis & { readonly trustedTypes?: TrustedTypes };
trustedTypes?.createPolicy('default', { createHTML: (text) => (text.includes('<') ? undefined : text) });
