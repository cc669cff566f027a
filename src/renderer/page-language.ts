/** Makes the page speak its language, which its address names. Import this before whatever says something. */
import { speakLanguage } from '../shared/words/catalogues.ts';
import { language, words } from '../shared/words/words.ts';

const asked = language.safeParse(new URLSearchParams(location.search).get('language'));
// The page has one language for as long as it lives: what is imported after this may keep what it reads.
if (asked.success) speakLanguage(asked.data);
document.documentElement.lang = words.common.locale;
