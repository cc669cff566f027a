/** The class names that apply, joined; what does not apply is false or undefined. */
export function joinClasses(...names: readonly (string | false | undefined)[]): string {
  return names.filter(Boolean).join(' ');
}
