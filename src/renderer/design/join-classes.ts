/** Joins the class names that apply; those that do not are false or undefined. */
export function joinClasses(...names: readonly (string | false | undefined)[]): string {
  return names.filter(Boolean).join(' ');
}
