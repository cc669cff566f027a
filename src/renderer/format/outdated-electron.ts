/** What it means that the window is shown by an old Electron. */
export function outdatedElectronWords(version: string): string {
  return `Electron ${version} gets no security fixes any more. It is for tests only: use the current Electron for your own nights.`;
}
