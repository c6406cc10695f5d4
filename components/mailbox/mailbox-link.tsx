import type { ReactNode } from "react";

/** Creates a function that renders the marked words of a message as a link to the page of mailboxes or letterboxes. */
export const createMailboxOrLetterboxLinkRenderer =
  (path: "/mailbox" | "/letterbox") => (chunks: ReactNode) => (
    <a key={path} href={path} className="text-link">
      {chunks}
    </a>
  );
