/** Class of a link or button in a menu (app/globals.css). */
export const MENU_ITEM_CLASS = "menu-item";
