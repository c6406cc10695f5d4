/**
 * The entries that dictionaries of a PDF may have (ISO 32000-2), by what a dictionary is. Only what draws pages, leads
 * somewhere, or holds what somebody wrote is listed: neither times, authors and programs, nor what only printing
 * houses or the program that wrote it read.
 */

/** What an entry may hold beside a dictionary of a kind: numbers, names and booleans; these and texts; and choices. */
export type PdfValueKind =
  | PdfKindName
  | "scalar"
  | "text"
  | "xObject"
  | "appearance"
  | "openAction"
  | "properties"
  | "fieldName"
  | "structureName"
  | "structuredObject";

type PdfKind = { entries: ReadonlyMap<string, PdfValueKind>; any?: PdfValueKind };

/** Builds a kind from its entries: `Key` may hold numbers, names and booleans, `Key=kind` what its kind says. `any` is for dictionaries whose keys are names that the document gives. */
function kind(list: string, any?: string): PdfKind {
  const entries = list.split(" ").filter(Boolean);
  return {
    entries: new Map(
      entries.map((entry) => {
        const [key = "", value = "scalar"] = entry.split("=");
        return [key, value as PdfValueKind];
      }),
    ),
    ...(any && { any: any as PdfValueKind }),
  };
}

const STREAM = "Length Filter DecodeParms=decoding DL";
const FUNCTION =
  "FunctionType Domain Range Functions=function C0 C1 N Bounds Encode Decode Size BitsPerSample Order";
const LAYER = "Type Name=text Intent Usage=layerUsage OCGs=layer P VE=layer";
const MARKED_CONTENT = "Type Subtype MCID Lang=text Alt=text ActualText=text E=text BBox Attached";

const KINDS = {
  data: kind(STREAM),
  decoding: kind(
    "K EndOfLine EncodedByteAlign Columns Rows EndOfBlock BlackIs1 DamagedRowsBeforeError Predictor Colors BitsPerComponent EarlyChange ColorTransform JBIG2Globals=data",
  ),

  catalog: kind(
    "Type Version PageLayout PageMode Lang=text Extensions=extensions Pages=page PageLabels=pageLabels Names=names Dests=destinations ViewerPreferences=viewer Outlines=outline OpenAction=openAction AcroForm=acroForm StructTreeRoot=structureRoot MarkInfo=marking OCProperties=layers",
  ),
  extensions: kind("Type BaseVersion ExtensionLevel", "extensions"),
  viewer: kind(
    "HideToolbar HideMenubar HideWindowUI FitWindow CenterWindow DisplayDocTitle NonFullScreenPageMode Direction ViewArea ViewClip PrintArea PrintClip PrintScaling Duplex PickTrayByPDFSize PrintPageRange NumCopies Enforce",
  ),
  marking: kind("Marked Suspects"),
  names: kind("Dests=destinationTree"),
  destinationTree: kind("Kids=destinationTree Names=destination Limits=text"),
  destinations: kind("", "destination"),
  destination: kind("D=destination"),
  pageLabels: kind("Kids=pageLabels Nums=pageLabel Limits"),
  pageLabel: kind("Type S P=text St"),
  outline: kind(
    "Type First=outline Last=outline Next=outline Prev=outline Parent=outline Title=text Dest=destination A=action C F Count",
  ),
  action: kind(
    "Type S D=destination URI=text IsMap N Flags Fields=fieldName T=fieldName H State=layer PreserveRB",
  ),

  page: kind(
    "Type Parent=page Kids=page Count Resources=resources MediaBox CropBox BleedBox TrimBox ArtBox Contents=content Rotate Group=group Dur Trans=transition Annots=annotation StructParents Tabs UserUnit PZ",
  ),
  transition: kind("Type S D Dm M Di SS B"),
  content: kind(STREAM),
  contents: kind("", "content"),
  group: kind("Type S CS=color I K"),

  resources: kind(
    "ProcSet ExtGState=graphicsStates ColorSpace=colors Pattern=patterns Shading=shadings XObject=xObjects Font=fonts Properties=propertyLists",
  ),
  graphicsStates: kind("", "graphicsState"),
  colors: kind("", "color"),
  patterns: kind("", "pattern"),
  shadings: kind("", "shading"),
  xObjects: kind("", "xObject"),
  fonts: kind("", "font"),
  propertyLists: kind("", "properties"),

  graphicsState: kind(
    "Type LW LC LJ ML D RI OP op OPM Font=font BG=function BG2=function UCR=function UCR2=function TR=function TR2=function FL SM SA BM SMask=softMask CA ca AIS TK UseBlackPtComp",
  ),
  softMask: kind("Type S G=xObject BC TR=function"),
  function: kind(`${STREAM} ${FUNCTION}`),
  color: kind(
    `${STREAM} ${FUNCTION} WhitePoint BlackPoint Gamma Matrix Alternate=color Subtype Colorants=colors Process=color ColorSpace=color Components MixingHints=mixing`,
  ),
  mixing: kind("Solidities=solidities PrintingOrder"),
  solidities: kind("", "scalar"),
  pattern: kind(
    `${STREAM} Type PatternType PaintType TilingType BBox XStep YStep Resources=resources Matrix Shading=shading ExtGState=graphicsState`,
  ),
  shading: kind(
    `${STREAM} ShadingType ColorSpace=color Background BBox AntiAlias Domain Matrix Function=function Coords Extend BitsPerCoordinate BitsPerComponent BitsPerFlag Decode VerticesPerRow`,
  ),
  image: kind(
    `${STREAM} Type Subtype Name Width Height ColorSpace=color BitsPerComponent Intent ImageMask Mask=xObject Decode Interpolate SMask=xObject SMaskInData Matte StructParent OC=layer`,
  ),
  form: kind(
    `${STREAM} Type Subtype Name FormType BBox Matrix Resources=resources Group=group StructParent StructParents OC=layer`,
  ),
  forms: kind("", "xObject"),

  font: kind(
    "Type Subtype Name BaseFont FirstChar LastChar Widths FontDescriptor=fontDescriptor Encoding=encoding ToUnicode=characterMap DescendantFonts=font CIDSystemInfo=characterSet DW W DW2 W2 CIDToGIDMap=data FontBBox FontMatrix CharProcs=contents Resources=resources",
  ),
  fontDescriptor: kind(
    "Type FontName FontFamily=text FontStretch FontWeight Flags FontBBox ItalicAngle Ascent Descent Leading CapHeight XHeight StemV StemH AvgWidth MaxWidth MissingWidth FontFile=fontFile FontFile2=fontFile FontFile3=fontFile CharSet=text Style=fontStyle Lang FD=fontDescriptors CIDSet=data",
  ),
  fontDescriptors: kind("", "fontDescriptor"),
  fontStyle: kind("Panose=text"),
  fontFile: kind(`${STREAM} Length1 Length2 Length3 Subtype`),
  encoding: kind(
    `${STREAM} Type BaseEncoding Differences CMapName CIDSystemInfo=characterSet WMode UseCMap=encoding`,
  ),
  characterMap: kind(`${STREAM} Type CMapName CIDSystemInfo=characterSet WMode UseCMap=characterMap`),
  characterSet: kind("Registry=text Ordering=text Supplement"),

  annotation: kind(
    "Type Subtype Rect Contents=text P=page AP=appearances AS Border C F CA ca BM Lang=text StructParent OC=layer " +
      // Notes and drawings
      "Subj=text Popup=annotation Parent=annotation Open IRT=annotation RT IT State=text StateModel=text Name QuadPoints DA=text DS=text Q CL BE=borderEffect BS=borderStyle RD LE IC L LL LLE LLO Cap CP CO Vertices Path InkList Sy OverlayText=text RO=xObject Repeat " +
      // Links, watermarks and marks of printers
      "A=action Dest=destination H FixedPrint=fixedPrint MN AnnotStates",
  ),
  appearances: kind("N=appearance R=appearance D=appearance"),
  borderEffect: kind("S I"),
  borderStyle: kind("Type W S D"),
  fixedPrint: kind("Type Matrix H V"),
  /** A form field, which often is in one dictionary with its annotation. `T` is the name of the field. */
  field: kind("MK=fieldAppearance FT Kids=annotation T=text TU=text Ff V=text DV=text Opt=text TI I MaxLen"),
  fieldAppearance: kind("R BC BG CA=text RC=text AC=text I=xObject RI=xObject IX=xObject IF=iconFit TP"),
  iconFit: kind("SW S A FB"),
  acroForm: kind("Fields=annotation NeedAppearances SigFlags CO=annotation DR=resources DA=text Q"),

  structureRoot: kind(
    "Type K=structure IDTree=structureTree ParentTree=structureTree ParentTreeNextKey RoleMap=roles ClassMap=classes Namespaces=namespace",
  ),
  structureTree: kind("Kids=structureTree Names=structureName Nums=structureName Limits=text"),
  roles: kind("", "scalar"),
  classes: kind("", "attributes"),
  namespace: kind("Type NS=text RoleMapNS=namespaceRoles"),
  namespaceRoles: kind("", "namespace"),
  structure: kind(
    "Type S P=structure ID=text Ref=structure Pg=page K=structure A=attributes C R Lang=text Alt=text ActualText=text E=text NS=namespace Phoneme=text PhoneticAlphabet Stm=xObject MCID Obj=structuredObject",
  ),
  attributes: kind(
    "O Placement WritingMode BackgroundColor BorderColor BorderStyle BorderThickness Padding Color SpaceBefore SpaceAfter StartIndent EndIndent TextIndent TextAlign BBox Width Height BlockAlign InlineAlign TBorderStyle TPadding BaselineShift LineHeight TextDecorationColor TextDecorationThickness TextDecorationType TextPosition RubyAlign RubyPosition GlyphOrientationVertical ColumnCount ColumnWidths ColumnGap ListNumbering ContinuedList ContinuedFrom=text RowSpan ColSpan Headers=text Scope Summary=text Short=text Role checked Checked Type Subtype Attached Contents=text NS=namespace",
  ),

  layers: kind("OCGs=layer D=layerView Configs=layerView"),
  layerView: kind(
    "BaseState ON=layer OFF=layer Intent AS=layerUse Order=layer ListMode RBGroups=layer Locked=layer",
  ),
  layerUse: kind("Event OCGs=layer Category"),
  layer: kind(LAYER),
  layerUsage: kind("Print=layerState View=layerState Export=layerState Zoom=layerState"),
  layerState: kind("Subtype PrintState ViewState ExportState min max"),
  markedContent: kind(MARKED_CONTENT),
};

export type PdfKindName = keyof typeof KINDS;

export const PDF_KINDS: Readonly<Record<PdfKindName, PdfKind>> = KINDS;
