/** What the user decides about a submit whose outcome is unknown (submit protocol, step 8). */
export type Decision =
  /** The gateway accepted it under this code; asked once before it is believed. */
  | { readonly kind: 'adopt'; readonly taskCode: string }
  /** Send it again, knowing that it may be charged twice. */
  | { readonly kind: 'resubmit' }
  | { readonly kind: 'write-off' };
