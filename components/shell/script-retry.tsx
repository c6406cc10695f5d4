/** Before the second request for a script, in ms. A network that loses one request is often back by then. */
const RETRY_DELAY_MS = 1_500;

/**
 * Requests a script of the page again, once, when it could not be loaded. `error` events of elements don't bubble, so
 * they are caught on their way down. React puts the scripts of Next and the stylesheets before this one, and a browser
 * runs it only after the stylesheets: a script that failed until then is found by its status, 0. Kept short: each page
 * carries it twice, as HTML and as data for React.
 */
const RETRY_SCRIPT = `{let r=s=>{if(s.tagName=="SCRIPT"&&!s.retry){let c=document.createElement("script");c.setAttribute("src",s.getAttribute("src"));s.retry=c.retry=1;setTimeout(()=>document.head.append(c),${RETRY_DELAY_MS})}};addEventListener("error",e=>r(e.target),!0);for(let s of document.scripts)performance.getEntriesByName(s.src).at(-1)?.responseStatus===0&&r(s)}`;

/**
 * Lets a page recover from one lost script, as on the network of a crowded hall. Next requests none of them again, and
 * the page would stay as the server rendered it: its forms work, but nothing on it is live. @param policy the content
 * security policy of the request, whose nonce lets the browser run this
 */
export function ScriptRetry({ policy }: { policy: string | null }) {
  const nonce = /'nonce-([^']+)'/.exec(policy ?? "")?.[1];
  // The browser hides the nonce from scripts, and React would take the empty attribute for a difference.
  return <script nonce={nonce} suppressHydrationWarning dangerouslySetInnerHTML={{ __html: RETRY_SCRIPT }} />;
}
