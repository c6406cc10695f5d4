/** Whether a page of the description of the API or of the style guide, which read no record, is at a path. */
export const isGeneralPage = (path: string): boolean => /^\/(reference|styleguide)(\/|$)/.test(path);
