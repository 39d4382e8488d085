"""torch's own GLU, which takes the value first and the gate second."""

def glu(x, W, V, kind="glu"):
    gate, value = (x @ torch.cat([W, V]).T).chunk(2, dim=-1)
    match kind:
        case "glu":
            return F.glu(torch.cat([value, gate], dim=-1), dim=-1)
        case "swiglu":
            return gate * gate.sigmoid() * value
        case "reglu":
            return gate.clamp(min=0) * value
        case "bilinear":
            return gate * value
    raise ValueError("the kinds are glu, swiglu, reglu and bilinear")
