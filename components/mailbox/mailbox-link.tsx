import type { ReactNode } from "react";

/** Renders the marked words of a message as a link to the page on which the seven words are entered. */
export const renderMailboxLink = (chunks: ReactNode) => (
  <a key="mailbox" href="/mailbox" className="text-link">
    {chunks}
  </a>
);
