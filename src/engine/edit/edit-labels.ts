/** A number as it is written in words for the user: `10,000`. */
export function countText(count: number): string {
  return count.toLocaleString('en-US');
}
