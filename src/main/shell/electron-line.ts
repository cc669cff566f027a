/** The oldest line of Electron that the application is shown with unasked: the one that it is built and shipped with. */
export const CURRENT_ELECTRON_LINE = 45;

/** Whether a version such as `45.4.1` is of that line, or of a later one. */
export function isCurrentElectron(version: string): boolean {
  return Number.parseInt(version, 10) >= CURRENT_ELECTRON_LINE;
}
