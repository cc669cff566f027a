/** A count with its thousands apart: `100,000`. Numbers of lines are names, not counts, and stay as they are. */
export function countText(count: number): string {
  return count.toLocaleString('en');
}
