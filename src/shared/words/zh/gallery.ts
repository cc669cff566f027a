import type { GalleryWords } from '../en/gallery.ts';

export const galleryZh: GalleryWords = {};
