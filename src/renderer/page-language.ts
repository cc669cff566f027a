/** Makes the page speak its language, which its address names. Import this before whatever says something. */
import { words } from '../shared/words/words.ts';
import { LANGUAGES } from '../shared/words/languages.ts';

const named = new URLSearchParams(location.search).get('language');
const asked = LANGUAGES.find((language) => language === named);
// The page has one language for as long as it lives: what is imported after this may keep what it reads.
// English is there: whoever reads that loads no other language.
if (asked !== undefined && asked !== 'en') (await import('../shared/words/catalogues.ts')).speakLanguage(asked);
document.documentElement.lang = words.common.locale;
