/** Delay before the second request for a script, in ms: by then, a network that lost one request is often back. */
const RETRY_DELAY_MS = 1_500;

/**
 * Requests a script of the page again, once, when it could not be loaded. `error` events of elements don't bubble, so
 * they are caught in the capture phase. React puts Next's scripts and the stylesheets before this script, which the
 * browser runs only after the stylesheets: a script that failed earlier is found by its response status, 0. Kept short,
 * because each page has this script twice, as HTML and as data for React.
 */
const RETRY_SCRIPT = `{let r=s=>{if(s.tagName=="SCRIPT"&&!s.retry){let c=document.createElement("script");c.setAttribute("src",s.getAttribute("src"));s.retry=c.retry=1;setTimeout(()=>document.head.append(c),${RETRY_DELAY_MS})}};addEventListener("error",e=>r(e.target),!0);for(let s of document.scripts)performance.getEntriesByName(s.src).at(-1)?.responseStatus===0&&r(s)}`;

/**
 * Lets a page recover when a script is lost, as on the network of a crowded hall. Next doesn't request a script again,
 * so the page would stay as the server rendered it: its forms work, but nothing on it is live.
 * @param policy the content security policy of the request, whose nonce lets the browser run this script
 */
export function ScriptRetry({ policy }: { policy: string | null }) {
  const nonce = /'nonce-([^']+)'/.exec(policy ?? "")?.[1];
  // The browser hides the nonce from scripts, and React would take the empty attribute for a difference.
  return <script nonce={nonce} suppressHydrationWarning dangerouslySetInnerHTML={{ __html: RETRY_SCRIPT }} />;
}
