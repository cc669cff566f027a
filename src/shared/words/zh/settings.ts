import type { SettingsWords } from '../en/settings.ts';

export const settingsZh: SettingsWords = {
  language: '语言',
  systemLanguage: '跟随系统',
};
