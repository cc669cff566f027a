/** The settings. */
export const settingsWords = {
  language: 'Language',
  systemLanguage: 'The system’s language',
};
export type SettingsWords = typeof settingsWords;
