/**
 * The page's policy forbids to make markup of text. A select of Radix sets the text of its own style element in that
 * way; what has no `<` makes no element and passes, everything else throws. Import this before anything is drawn.
 */
interface TrustedTypes {
  createPolicy(name: 'default', rules: { readonly createHTML: (text: string) => string | undefined }): unknown;
}

const { trustedTypes } = globalThis as typeof globalThis & { readonly trustedTypes?: TrustedTypes };
trustedTypes?.createPolicy('default', { createHTML: (text) => (text.includes('<') ? undefined : text) });

export {};
