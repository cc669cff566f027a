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
