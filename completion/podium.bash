# Completion of podium(1) in bash.

_podium() {
    local current=${COMP_WORDS[COMP_CWORD]} previous='' command=${COMP_WORDS[1]-}
    ((COMP_CWORD > 0)) && previous=${COMP_WORDS[COMP_CWORD - 1]}
    COMPREPLY=()

    # --option=word is three words to bash
    if [[ $current == '=' ]]; then
        current=''
    elif [[ $previous == '=' ]] && ((COMP_CWORD > 1)); then
        previous=${COMP_WORDS[COMP_CWORD - 2]}
    fi

    local commands='design privatize aggregate merge estimate compare plan params paper'
    if ((COMP_CWORD == 1)); then
        _podium_words "$commands help version --help --version"
        return
    fi

    local mechanism='--range --epsilon --mechanism --spread --cells --objective'
    local collection="--collection $mechanism" table='--column --separator --header --invalid --codes --threads'
    local options=''
    case $command in
    design) options="$mechanism --name" ;;
    privatize) options="$collection $table" ;;
    aggregate) options="$collection $table --force" ;;
    merge | paper) ;;
    estimate)
        options="$collection $table --force --by --confidence --interval --histogram --quantiles --bootstrap --dishonest"
        options+=' --format --plot'
        ;;
    compare) options='--epsilon --range --spread --cells --format --plot' ;;
    plan)
        options='--people --epsilon --within --range --confidence --spread --response --questions --cells --format'
        ;;
    params) options='--epsilon --range --approximate --spread --table --format' ;;
    help | --help | -h)
        ((COMP_CWORD == 2)) && _podium_words "$commands"
        return
        ;;
    *) return ;;
    esac
    options+=' --output -o --help -h'

    case $previous in
    --mechanism) _podium_words 'podium podium-approximate laplace staircase duchi piecewise hybrid podium-tuned minimax auto' ;;
    --format) _podium_words 'text json csv' ;;
    --interval) _podium_words 'normal guaranteed' ;;
    --objective) _podium_words 'worst uniform middle' ;;
    --header) _podium_words 'yes no auto' ;;
    --invalid)
        if [[ $command == privatize ]]; then
            _podium_words 'error drop clamp keep'
        else
            _podium_words 'error drop'
        fi
        ;;
    --separator) _podium_words 'tab' ;;
    --collection | --plot | --output | -o) _podium_files ;;
    --range | --epsilon | --spread | --cells | --name | --column | --by | --confidence | --histogram | --quantiles) ;;
    --bootstrap | --dishonest | --people | --within | --response | --questions) ;;
    *)
        if [[ $current == -* ]]; then
            _podium_words "$options"
        elif [[ ' privatize aggregate merge estimate ' == *" $command "* ]]; then
            _podium_files
        fi
        ;;
    esac
}

# Both read the caller's current.
_podium_words() {
    mapfile -t COMPREPLY < <(compgen -W "$1" -- "$current")
}

_podium_files() {
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
}

complete -F _podium podium
