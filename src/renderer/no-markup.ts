interface TrustedTypes {
  createPolicy(name: 'default', rules: { readonly createHTML: (text: string) => string | undefined }): unknown;
}

/**
 * The page's policy forbids to make markup of text. A select of Radix sets the text of its own style element in that
 * way; what has no `<` makes no element and passes, everything else throws. Call this before anything is drawn.
 */
export function forbidMarkup(): void {
  const { trustedTypes } = globalThis as typeof globalThis & { readonly trustedTypes?: TrustedTypes };
  trustedTypes?.createPolicy('default', { createHTML: (text) => (text.includes('<') ? undefined : text) });
}
