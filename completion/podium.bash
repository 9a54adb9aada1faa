# Completion of podium(1) in bash. The program itself prints the candidates, from the same tables that it parses its
# options with, so this script need not change when they do.

_podium() {
    local words=("${COMP_WORDS[@]:1:COMP_CWORD}") current=${COMP_WORDS[COMP_CWORD]}
    local program=${COMP_WORDS[0]/#\~\//"$HOME/"} candidates
    COMPREPLY=()

    # For bash, --option=word is three words. Drop the =, or turn it into the empty word that is being completed.
    if [[ $current == '=' ]]; then
        current=''
        words[COMP_CWORD - 1]=''
    elif ((COMP_CWORD > 2)) && [[ ${words[COMP_CWORD - 2]} == '=' ]]; then
        unset "words[COMP_CWORD - 2]"
    fi

    candidates=$("$program" help --complete "${words[@]}" 2>/dev/null) || return 0
    if [[ $candidates == '<files>' ]]; then
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
    else
        mapfile -t COMPREPLY < <(compgen -W "$candidates" -- "$current")
    fi
}

complete -F _podium podium
