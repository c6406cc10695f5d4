/** Classes of a link or button in a menu. */
export const MENU_ITEM_CLASS =
  "flex min-h-11 w-full items-center gap-2 rounded-control px-3 text-start hover:bg-accent-soft hover:text-accent-hover";
